package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	uses   = regexp.MustCompile(`(?m)uses: (\S+)(.*)$`)
	pinned = regexp.MustCompile(`@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestActionsArePinned checks that workflows use actions by commit, because a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	found := 0
	for _, file := range glob(t, ".github/workflows/*.yaml") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range uses.FindAllStringSubmatch(string(content), -1) {
			found++
			if !pinned.MatchString(use[1] + use[2]) {
				t.Errorf("%s uses %s%s, want a commit with the version as a comment", filepath.Base(file), use[1], use[2])
			}
		}
	}
	if found == 0 {
		t.Error("no workflow uses an action")
	}
}
