package manifests

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
)

// TestParentsOfReleases holds that what a release stored is valid today, so that it can still be changed.
func TestParentsOfReleases(t *testing.T) {
	known := kinds(t)
	for _, file := range glob(t, "test/releases/*.jsonl") {
		content, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer content.Close()
		lines := bufio.NewScanner(content)
		lines.Buffer(nil, 64<<20)
		read := 0
		for ; lines.Scan(); read++ {
			var recorded struct {
				Case    string `json:"case"`
				Request struct {
					Parent map[string]any `json:"parent"`
				} `json:"request"`
			}
			if err := json.Unmarshal(lines.Bytes(), &recorded); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			parent := recorded.Request.Parent
			t.Run(filepath.Base(file)+"/"+recorded.Case, func(t *testing.T) {
				_, unknown, problems := kindOf(t, known, parent).admit(t, parent, parent)
				expectNone(t, "a field that is not known any more", unknown)
				expectNone(t, "problem", problems)
			})
		}
		if lines.Err() != nil || read == 0 {
			t.Errorf("%s: %d parents: %v", file, read, lines.Err())
		}
	}
}

// heading is that of a release in the changelog.
var heading = regexp.MustCompile(`(?m)^## (v\S+)`)

// TestVersionsAgree holds that what installs a release, what tells of it, and what later ones are tested against are
// about the same one.
func TestVersionsAgree(t *testing.T) {
	var base struct {
		Images []struct {
			NewTag string `json:"newTag"`
		} `json:"images"`
	}
	file := filepath.Join(root, "manifests/base/kustomization.yaml")
	convert(t, readObject(t, file), &base)
	if len(base.Images) != 1 {
		t.Fatalf("%s names %d images, want 1", file, len(base.Images))
	}
	changes, err := os.ReadFile(filepath.Join(root, ".github/CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	newest := heading.FindStringSubmatch(string(changes))
	if newest == nil || newest[1] != base.Images[0].NewTag {
		t.Errorf("%s installs %s, and the newest heading of CHANGELOG.md is %q", file, base.Images[0].NewTag, newest)
	}
	for _, heading := range heading.FindAllStringSubmatch(string(changes), -1) {
		if _, err := os.Stat(filepath.Join(root, "test/releases", heading[1]+".jsonl")); err != nil {
			t.Errorf("CHANGELOG.md tells of %s, which is not recorded: make record-release VERSION=%[1]s", heading[1])
		}
	}
}

// chart is a version of Metacontroller's Helm chart, where a page or a file names one.
var chart = regexp.MustCompile(`metacontroller-helm(?: --version)? (\d+\.\d+\.\d+)`)

// TestMetacontrollerVersionsAgree holds that what is documented, what the values are written for and what kind tests are
// the same release of Metacontroller.
func TestMetacontrollerVersionsAgree(t *testing.T) {
	found := map[string][]string{}
	for _, file := range []string{"README.md", "manifests/README.md", "manifests/metacontroller-values.yaml", ".github/workflows/kind.yaml"} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range chart.FindAllStringSubmatch(string(content), -1) {
			if !slices.Contains(found[version[1]], file) {
				found[version[1]] = append(found[version[1]], file)
			}
		}
	}
	if len(found) != 1 {
		t.Errorf("versions of the chart, and the files that name them: %v", found)
	}
	for version, files := range found {
		if len(files) != 4 {
			t.Errorf("only %s name the chart %s", strings.Join(files, ", "), version)
		}
	}
}
