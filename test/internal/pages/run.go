package pages

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// Run runs a command in bash. It returns an error unless the output has the lines that the page shows, in their order: a line … stands
// for any lines. A command without shown output must succeed.
func (c Command) Run(ctx context.Context, dir string, env []string) error {
	command := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", c.Text)
	command.Dir, command.Env, command.WaitDelay = dir, env, time.Second
	output, err := command.CombinedOutput()
	if err != nil && len(c.Output) == 0 {
		return fmt.Errorf("%s: %w\n%s", c.Text, err, output)
	}
	rest := strings.Split(string(output), "\n")
	for _, shown := range c.Output {
		if shown == "…" || shown == "" {
			continue
		}
		at := 0
		for at < len(rest) && normal(rest[at]) != normal(shown) {
			at++
		}
		if at == len(rest) {
			return fmt.Errorf("%s: the page shows the line\n%s\nbut the output is\n%s", c.Text, shown, output)
		}
		rest = rest[at+1:]
	}
	return nil
}

// What differs from run to run: durations, addresses, and the width of columns.
var (
	duration = regexp.MustCompile(`\b[0-9.]+(ms|s|m|h|d)\b|\(cached\)`)
	ip       = regexp.MustCompile(`\b[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+\b`)
	blank    = regexp.MustCompile(`\s+`)
)

func normal(line string) string {
	return strings.TrimSpace(blank.ReplaceAllString(ip.ReplaceAllString(duration.ReplaceAllString(line, "DURATION"), "ADDRESS"), " "))
}
