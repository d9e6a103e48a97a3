// Compare compares the model of Metacontroller with the real one, by hand:
//
//	go run ./test/internal/metacontroller/compare SOURCE
//
// SOURCE is a checkout of Metacontroller's repository, which stays as it is. Random children and related rules go through both.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/go-cmp/cmp"
)

//go:embed testdata/real_test.go
var realTest []byte

const added = "pkg/controller/common/customize/compare_test.go"

// cases are what both get.
type cases struct {
	Objects []map[string]any
	Applies []apply
	Rules   []ruleCase
}

func main() {
	count := flag.Int("n", 2000, "`number` of random children, and of random rules")
	seed := flag.Uint64("seed", 1, "`seed` of the random cases")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: compare [-n number] [-seed seed] SOURCE")
		os.Exit(2)
	}
	c := cases{Objects: objects()}
	r := rand.New(rand.NewPCG(*seed, 0))
	for range *count {
		c.Applies, c.Rules = append(c.Applies, randomApply(r)), append(c.Rules, randomRule(r))
	}
	differences, err := compare(flag.Arg(0), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("%d children and %d rules: %d differences\n", *count, *count, differences)
	if differences > 0 {
		os.Exit(1)
	}
}

// compare prints the first differences, and returns their number.
func compare(source string, c cases) (differences int, err error) {
	results, err := runReal(source, c)
	if err != nil {
		return 0, err
	}
	show := func(what any, model, theirs any) {
		if diff := cmp.Diff(model, theirs); diff != "" {
			if differences++; differences <= 5 {
				text, _ := json.Marshal(what)
				fmt.Printf("%s (-model +Metacontroller):\n%s\n", text, diff)
			}
		}
	}
	for i, a := range c.Applies {
		show(a, decoded(a.model()), decoded(results[i]))
	}
	for i, rule := range c.Rules {
		show(rule, rule.model(c.Objects), results[len(c.Applies)+i])
	}
	return differences, nil
}

// decoded returns a JSON text as an object, so that the order of members does not count; other texts as they are.
func decoded(text string) any {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// runReal runs the cases in a package of Metacontroller.
func runReal(source string, c cases) ([]string, error) {
	dir, err := os.MkdirTemp("", "compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, err = filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	overlay := map[string]any{"Replace": map[string]string{filepath.Join(source, added): file("real_test.go")}}
	for name, content := range map[string]any{"cases.json": c, "overlay.json": overlay} {
		text, err := json.Marshal(content)
		if err == nil {
			err = os.WriteFile(file(name), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(file("real_test.go"), realTest, 0o600); err != nil {
		return nil, err
	}
	command := exec.Command("go", "test", "-count=1", "-overlay", file("overlay.json"), "-run", "^TestCompare$", "./"+filepath.Dir(added))
	command.Dir = source
	command.Env = append(os.Environ(), "GOWORK=off", "COMPARE_CASES="+file("cases.json"), "COMPARE_RESULTS="+file("results.json"))
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("run Metacontroller's package: %w\n%s", err, output)
	}
	text, err := os.ReadFile(file("results.json"))
	if err != nil {
		return nil, err
	}
	var results []string
	err = json.Unmarshal(text, &results)
	if want := len(c.Applies) + len(c.Rules); err == nil && len(results) != want {
		err = fmt.Errorf("%d results, not %d", len(results), want)
	}
	return results, err
}
