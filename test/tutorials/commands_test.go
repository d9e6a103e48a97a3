package tutorials

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/internal/pages"
)

// TestCommands checks the commands of all pages as far as that is possible without running them: the program knows its commands and flags,
// the Makefile its targets, and files, packages and tests of this repository exist.
func TestCommands(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "memcached-operator")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, root).CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, output)
	}
	files, err := pages.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, file := range files {
		if slices.ContainsFunc(tutorials, func(page string) bool { return filepath.Join(root, page) == file }) {
			continue // TestTutorials runs all of its commands
		}
		blocks, err := pages.Blocks(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			calls, err := block.Calls(t.Context(), t.TempDir(), "memcached-operator", "make", "go", "kubectl", "helm")
			if err != nil {
				t.Error(err)
			}
			for _, call := range calls {
				checked[call[0]]++
				if err := checkCall(t.Context(), program, call); err != nil {
					t.Errorf("%s: %s: %v", block.Place, strings.Join(call, " "), err)
				}
			}
		}
	}
	for _, program := range []string{"memcached-operator", "make", "go", "kubectl", "helm"} {
		if checked[program] < 3 {
			t.Errorf("the pages have %d commands of %s", checked[program], program)
		}
	}
}

func checkCall(ctx context.Context, program string, call []string) error {
	args := call[1:]
	switch {
	case call[0] == "memcached-operator":
		return checkFlags(ctx, program, args)
	case call[0] == "make":
		return checkTargets(args)
	case call[0] == "go" && slices.Equal(args[:2], []string{"run", "."}):
		return checkFlags(ctx, program, args[2:])
	case call[0] == "go" && args[0] == "test":
		return checkTests(args[1:])
	}
	return checkFiles(args)
}

// checkFlags asks for the help of the command line, which the program prints only if it knows the command and the flags.
func checkFlags(ctx context.Context, program string, args []string) error {
	output, err := exec.CommandContext(ctx, program, append(slices.Clone(args), "--help")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func checkTargets(args []string) error {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return err
	}
	for _, target := range args {
		if !strings.Contains(target, "=") && !strings.Contains(string(makefile), "\n"+target+":") {
			return fmt.Errorf("the Makefile has no target %s", target)
		}
	}
	return nil
}

// checkTests returns an error unless the packages exist, and have a test or benchmark that the flags -run or -bench select.
func checkTests(args []string) error {
	var names []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		found, err := testsBelow(filepath.Join(root, strings.TrimSuffix(arg, "...")))
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	for i, arg := range args[:len(args)-1] {
		if arg != "-run" && arg != "-bench" || args[i+1] == "^$" {
			continue
		}
		first, _, _ := strings.Cut(args[i+1], "/")
		pattern, err := regexp.Compile(first)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(names, pattern.MatchString) {
			return fmt.Errorf("%s %s selects none of %d tests", arg, args[i+1], len(names))
		}
	}
	return nil
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)

func testsBelow(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		content, err := os.ReadFile(file)
		for _, match := range testFunction.FindAllSubmatch(content, -1) {
			names = append(names, string(match[1]))
		}
		return err
	})
	return names, err
}

// inRepository matches the arguments that are paths of this repository.
var inRepository = regexp.MustCompile(`^(\./)?(manifests|crds|test|webhook)/[^*:]*$`)

func checkFiles(args []string) error {
	for _, arg := range args {
		if !inRepository.MatchString(arg) {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, arg)); err != nil {
			return fmt.Errorf("the repository has no %s", arg)
		}
	}
	return nil
}
