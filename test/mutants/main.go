// Mutants breaks one line of the program at a time, and reports which tests find it. It takes hours, so it runs by hand.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mutant replaces a text that is exactly once in a file.
type mutant struct{ file, old, new, breaks string }

// oracle is tests that may find mutants. PACKAGE stands for that of the mutant.
type oracle struct {
	name string
	args []string
}

var oracles = []oracle{
	{"unit", []string{"PACKAGE", "-skip", "^TestExplore|^TestAllocations$|^Benchmark"}},
	{"walk", []string{"./test/walk"}},
	{"golden", []string{"./test/golden", "-run", "^Test(Golden|Defects|Upgrade|TwoReleases)$"}},
	{"hookcheck", []string{"./test/golden", "-run", "^TestHookcheck"}},
	{"explore", []string{"./webhook/memcached/moves", "-run", "^TestExplore"}},
}

func main() {
	log.SetFlags(0)
	match := flag.String("match", "", "run only mutants whose description or file contains this text")
	only := flag.String("oracles", "", "names of the oracles to run, with commas between them; all by default")
	flag.Parse()
	if err := run(*match, *only); err != nil {
		log.Fatal(err)
	}
}

func run(match, only string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(oracles), func(o oracle) bool { return only != "" && !slices.Contains(strings.Split(only, ","), o.name) })
	if len(chosen) == 0 {
		return fmt.Errorf("no oracle is one of %q", only)
	}
	var survivors []string
	for _, m := range mutants { // all of them, so that each list that is out of date fails
		text, err := m.apply(root)
		if err != nil {
			return err
		}
		if !strings.Contains(m.breaks+m.file, match) {
			continue
		}
		killers, err := m.killers(root, text, chosen)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %s |\n", path.Base(m.file), m.breaks, strings.Join(killers, ", "))
		if len(killers) == 0 || len(killers) == 1 && killers[0] == "unit" && len(chosen) > 1 {
			survivors = append(survivors, m.breaks)
		}
	}
	if len(survivors) > 0 {
		return fmt.Errorf("only unit tests or no tests find %d mutants:\n%s", len(survivors), strings.Join(survivors, "\n"))
	}
	return nil
}

// apply returns the file of a mutant.
func (m mutant) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	if found := bytes.Count(text, []byte(m.old)); found != 1 {
		return nil, fmt.Errorf("%s has %d times, and not once: %s", m.file, found, m.old)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), nil
}

// killers returns the names of the oracles that find a mutant. The go command reads its file from another directory.
func (m mutant) killers(root string, text []byte, oracles []oracle) ([]string, error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	mutated, overlay := filepath.Join(dir, path.Base(m.file)), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, m.file): mutated}})
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{mutated: text, overlay: replaced} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return nil, err
		}
	}
	var found []string
	for _, o := range oracles {
		args := append([]string{"test", "-v", "-failfast", "-overlay", overlay}, o.args...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "PACKAGE", "./"+path.Dir(m.file))
		}
		fails, err := failed(exec.Command("go", args...))
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", m.breaks, o.name, err)
		}
		if fails {
			found = append(found, o.name)
		}
	}
	return found, nil
}

// failed runs tests until the first one fails.
func failed(command *exec.Cmd) (bool, error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return false, err
	}
	command.Stderr, command.SysProcAttr = command.Stdout, &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return false, err
	}
	lines, ran := bufio.NewScanner(output), false
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		switch line := strings.TrimSpace(lines.Text()); {
		case strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "panic:"):
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // with the process of the tests
			_ = command.Wait()
			return true, nil
		case strings.HasPrefix(line, "=== RUN"):
			ran = true
		case strings.Contains(line, "[build failed]"), strings.Contains(line, "[setup failed]"):
			return false, fmt.Errorf("%s", line)
		}
	}
	if err := command.Wait(); err != nil || !ran {
		return false, fmt.Errorf("the tests ran: %t: %w", ran, err)
	}
	return false, nil
}
