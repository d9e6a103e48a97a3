package pages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# Title\n\n1. A step:\n\n   ```console\n   $ make \\\n       all\n   done\n   …\n   $ ls |\n   wc\n   ```\n\n" +
	"```sh\n# a comment\nmake test    # fast\n\nwhile read; do\n  go vet ./...\n  done\n```\n\n```yaml\nrun: |\n  echo '```diff'\n  ```\n```\n"

func TestBlocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	blocks, err := Blocks(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{file + ":5", "console", []string{`$ make \`, "    all", "done", "…", "$ ls |", "wc"}},
		{file + ":14", "sh", []string{"# a comment", "make test    # fast", "", "while read; do", "  go vet ./...", "  done"}},
		{file + ":23", "yaml", []string{"run: |", "  echo '```diff'", "  ```"}},
	}
	if diff := cmp.Diff(want, blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	wantCommands := [][]Command{
		{{"make \\\n    all", []string{"done", "…"}}, {"ls |\nwc", nil}},
		{{"make test    # fast", nil}, {"while read; do\n  go vet ./...\n  done", nil}},
		nil,
	}
	for i, block := range blocks {
		if diff := cmp.Diff(wantCommands[i], block.Commands()); diff != "" {
			t.Errorf("commands of block %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestBlockWithoutEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("```sh\nls\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Blocks(file); err == nil {
		t.Error("a block without an end is no error")
	}
}

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name    string
		command Command
		ok      bool
	}{
		{"shown lines, in order, with other times and widths", Command{"echo a; echo 'READY   5s'; echo b", []string{"a", "…", "READY 45s", "b"}}, true},
		{"a command that fails as shown", Command{"echo FAIL; false", []string{"FAIL"}}, true},
		{"a command that fails, but shows nothing", Command{"false | true", nil}, false},
		{"another order", Command{"echo b; echo a", []string{"a", "b"}}, false},
		{"a missing line", Command{"echo a", []string{"b"}}, false},
		{"another number", Command{"echo 3 pods", []string{"2 pods"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.command.Run(t.Context(), t.TempDir(), nil); (err == nil) != test.ok {
				t.Errorf("error %v, want ok %t", err, test.ok)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	block := Block{Place: "page.md:1", Language: "sh", Lines: []string{
		`kubectl get pods -o jsonpath='{.a b}' | rm -r /    # a comment`, "bin/make all", `kubectl apply -f "$(mktemp)"`,
	}}
	calls, err := block.Calls(t.Context(), t.TempDir(), "kubectl", "make")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"kubectl", "get", "pods", "-o", "jsonpath={.a b}"}, {"make", "all"}, {"kubectl", "apply", "-f", ""}}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if _, err := (Block{Language: "sh", Lines: []string{"if"}}).Calls(t.Context(), t.TempDir()); err == nil {
		t.Error("a syntax error is no error")
	}
}
