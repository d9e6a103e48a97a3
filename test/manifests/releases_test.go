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

// TestParentsOfReleases checks that the current CRDs accept an update of the parents that each release stored.
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
				expectNone(t, "field that is no longer known", unknown)
				expectNone(t, "problem", problems)
			})
		}
		if lines.Err() != nil || read == 0 {
			t.Errorf("%s: %d parents: %v", file, read, lines.Err())
		}
	}
}

// heading matches the heading of a release in the changelog.
var heading = regexp.MustCompile(`(?m)^## (v\S+)`)

// TestVersionsAgree checks that manifests/base installs the newest release of the changelog, and that each release is recorded
// for the upgrade test.
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
		t.Errorf("%s installs %s, but the newest heading of CHANGELOG.md is %q", file, base.Images[0].NewTag, newest)
	}
	for _, heading := range heading.FindAllStringSubmatch(string(changes), -1) {
		if _, err := os.Stat(filepath.Join(root, "test/releases", heading[1]+".jsonl")); err != nil {
			t.Errorf("CHANGELOG.md has %s, which is not recorded: run make record-release VERSION=%[1]s", heading[1])
		}
	}
}

// chart matches a version of Metacontroller's Helm chart in a page or a manifest.
var chart = regexp.MustCompile(`metacontroller-helm(?: --version)? (\d+\.\d+\.\d+)`)

// TestMetacontrollerVersionsAgree checks that the pages, the values and the kind workflow have the same chart version.
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
		t.Errorf("the files name several versions of the chart: %v", found)
	}
	for version, files := range found {
		if len(files) != 4 {
			t.Errorf("only %s have the chart version %s", strings.Join(files, ", "), version)
		}
	}
}
