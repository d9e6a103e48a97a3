package pages

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// stub records its name and arguments, each with a NUL at its end, and then a separator. bash writes what one printf prints at once if it has
// no newline, so the programs of a pipe do not mix their records.
const (
	stub      = "#!%s\nprintf '%%s\\0' \"${0##*/}\" \"${@//$'\\n'/$'\\x1f'}\" $'\\x1e' >>\"$CALLS\"\n"
	newline   = "\x1f"
	separator = "\x00\x1e\x00"
)

// Calls returns the arguments with which the commands of a block call some programs, beginning with the name of the program. It runs the
// commands in an empty directory with stubs in place of the programs, and without any other program. So bash splits the words, and
// nothing else happens.
func (b Block) Calls(ctx context.Context, dir string, programs ...string) ([][]string, error) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, err
	}
	bin, log := filepath.Join(dir, "bin"), filepath.Join(dir, "calls")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return nil, err
	}
	for _, program := range programs {
		if err := os.WriteFile(filepath.Join(bin, program), fmt.Appendf(nil, stub, bash), 0o700); err != nil { //nolint:gosec // a program
			return nil, err
		}
	}
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		return nil, err
	}
	for _, command := range b.Commands() {
		run := exec.CommandContext(ctx, bash, "-c", command.Text)
		run.Dir, run.Env = dir, []string{"PATH=" + bin, "CALLS=" + log}
		if output, err := run.CombinedOutput(); strings.Contains(string(output), "syntax error") {
			return nil, fmt.Errorf("%s: %q: %w\n%s", b.Place, command.Text, err, output)
		}
	}
	content, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var calls [][]string
	for call := range strings.SplitSeq(string(content), separator) {
		if call != "" {
			calls = append(calls, strings.Split(strings.ReplaceAll(call, newline, "\n"), "\x00"))
		}
	}
	return calls, nil
}
