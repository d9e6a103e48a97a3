package proxy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLibraryReadsNoLine: before 1.6.45, line of a response can return that of another one, which the server sent at the same time.
func TestLibraryReadsNoLine(t *testing.T) {
	if strings.Contains(library, ":line()") {
		t.Errorf("library.lua uses line of a response, which is wrong before 1.6.45, but proxies need %s or later. Use raw_string", MinVersion)
	}
}

// TestMinVersion compares the version that the library and the pages say proxies need.
func TestMinVersion(t *testing.T) {
	version := regexp.MustCompile(`(1\.6\.\d+) or (?:later|newer)`)
	for _, file := range []string{"library.lua", "../../../README.md", "../../../manifests/docs/proxies.md", "../../../manifests/docs/troubleshoot.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := version.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s does not say that proxies need %s or later", file, MinVersion)
		}
		for _, each := range found {
			if string(each[1]) != MinVersion {
				t.Errorf("%s says %q, want %s", file, each[0], MinVersion)
			}
		}
	}
}
