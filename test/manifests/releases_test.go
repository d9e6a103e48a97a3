package manifests

import (
	"bufio"
	"os"
	"path/filepath"
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
