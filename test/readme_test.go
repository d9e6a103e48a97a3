package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	// notOwn is what a file has beside its own code: the package clause, imports, comments.
	notOwn = regexp.MustCompile(`(?ms)^package .*?$|^import \(.*?^\)$|^import ".*?"$|^\s*//.*?$`)
)

// TestReadmeShowsNginx: README.md walks through Nginx as it stands, so every line that it shows is in the program, every
// line of the program is shown, and they are fewer than the 60 that it promises.
func TestReadmeShowsNginx(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../webhook/nginx/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no Nginx: %v", err)
	}
	var shown, written []string
	for _, block := range goBlock.FindAllStringSubmatch(string(readme), -1) {
		shown = append(shown, codeLines(block[1])...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "zz_") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, codeLines(notOwn.ReplaceAllString(string(content), ""))...)
	}
	for _, missing := range without(shown, written) {
		t.Errorf("README.md shows a line that Nginx does not have: %s", missing)
	}
	for _, missing := range without(written, shown) {
		t.Errorf("README.md does not show a line of Nginx: %s", missing)
	}
	if len(written) >= 60 {
		t.Errorf("Nginx has %d lines, and README.md promises fewer than 60", len(written))
	}
}

func codeLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// without returns the lines that others does not have.
func without(lines, others []string) []string {
	known := map[string]bool{}
	for _, line := range others {
		known[line] = true
	}
	var rest []string
	for _, line := range lines {
		if !known[line] {
			rest = append(rest, line)
		}
	}
	return rest
}

// TestTroubleshootKnowsEveryReason: whoever looks up why something is degraded finds it, for every reason that a recorded
// answer gives.
func TestTroubleshootKnowsEveryReason(t *testing.T) {
	page, err := os.ReadFile("../manifests/troubleshoot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, f := range syncFixtures(t) {
		answer, err := os.ReadFile(f.responseFile())
		if err != nil {
			t.Fatal(err)
		}
		status, _ := parse(t, answer)["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		for _, condition := range conditions {
			condition := condition.(map[string]any)
			reason := condition["reason"].(string)
			if condition["type"] != "Degraded" || condition["status"] != "True" || given[reason] {
				continue
			}
			given[reason] = true
			if !strings.Contains(string(page), "`"+reason+"`") {
				t.Errorf("%s: Degraded has the reason %s, which manifests/troubleshoot/README.md does not tell of", f.folder, reason)
			}
		}
	}
	if len(given) < 5 {
		t.Errorf("the recorded answers give only the reasons %v", given)
	}
}
