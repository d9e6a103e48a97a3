package tutorials

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/internal/pages"
)

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	target  = regexp.MustCompile(`\]\([^)]*\)`)
	markup  = regexp.MustCompile(`[^\pL\pN _-]`)
)

// TestLinks checks that the relative links of all pages lead to files and headings of the repository.
func TestLinks(t *testing.T) {
	t.Parallel()
	files, err := pages.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	anchors, texts := map[string]bool{}, map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = fenced.ReplaceAllString(string(content), "")
		for _, found := range heading.FindAllStringSubmatch(texts[file], -1) {
			text := markup.ReplaceAllString(target.ReplaceAllString(found[1], ""), "")
			anchors[file+"#"+strings.ReplaceAll(strings.ToLower(text), " ", "-")] = true
		}
	}
	for file, text := range texts {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(found[1] + found[2])
			if err != nil || to.IsAbs() {
				continue
			}
			place := file
			if to.Path != "" {
				place = filepath.Join(filepath.Dir(file), to.Path)
			}
			info, err := os.Stat(place)
			if err == nil && info.IsDir() {
				place = filepath.Join(place, "README.md")
			}
			if err != nil || to.Fragment != "" && !anchors[place+"#"+to.Fragment] {
				t.Errorf("%s: the link %s leads nowhere", file, to)
			}
		}
	}
}
