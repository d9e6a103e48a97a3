package manifests

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeIsShort: whoever opens the project for the first time reads one page. What is longer stands beside what it
// describes, and is linked.
func TestReadmeIsShort(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(content, []byte("\n")); lines > 160 {
		t.Errorf("README.md has %d lines, more than 160", lines)
	}
}

// TestPagesAreReached holds that README.md leads to every page, by however many steps.
func TestPagesAreReached(t *testing.T) {
	all := pages(t)
	start := filepath.Join(root, "README.md")
	reached := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, link := range all[queue[0]].links {
			path, _, _ := strings.Cut(link, "#")
			target := filepath.Join(filepath.Dir(queue[0]), path)
			if info, err := os.Stat(target); err == nil && info.IsDir() {
				target = filepath.Join(target, "README.md")
			}
			if _, isPage := all[target]; isPage && !reached[target] {
				reached[target] = true
				queue = append(queue, target)
			}
		}
	}
	for file := range all {
		if !reached[file] {
			t.Errorf("no link leads from README.md to %s", file)
		}
	}
}

var style = regexp.MustCompile(`(?s)<style>.*</style>`)

// TestDiagrams holds that a diagram can be drawn, and that the one for dark backgrounds tells the same.
func TestDiagrams(t *testing.T) {
	light, dark := readDiagram(t, "webhook/diagram.svg"), readDiagram(t, "webhook/diagram-dark.svg")
	if diff := cmp.Diff(style.ReplaceAllString(light, ""), style.ReplaceAllString(dark, "")); diff != "" {
		t.Errorf("the diagrams differ in more than their colours (-light +dark):\n%s", diff)
	}
	if light == dark {
		t.Error("the diagrams have the same colours")
	}
}

func readDiagram(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(content)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return string(content)
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}
