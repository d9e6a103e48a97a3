//go:build servers

package servers

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// example matches the command of README.md that stores and reads an item, and its output.
var example = regexp.MustCompile("(?s)printf (\"[^\"]+\") \\| nc memcached-sample 11211'\n(.+?)```")

// TestQuickStart checks that memcached returns what the quick start of README.md shows.
func TestQuickStart(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	match := example.FindSubmatch(page)
	if match == nil {
		t.Fatal("README.md has no command that matches " + example.String())
	}
	commands, err := strconv.Unquote(string(match[1]))
	if err != nil {
		t.Fatalf("unquote %s: %v", match[1], err)
	}
	connection, err := dial(start(t, container(t, v1alpha1.MemcachedSpec{Size: new(int32(3))}), "").address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, commands); err != nil {
		t.Fatalf("send %q: %v", commands, err)
	}
	responses, err := io.ReadAll(connection)
	if err != nil {
		t.Fatalf("read the responses to %q: %v", commands, err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(responses), "\r\n", "\n"), string(match[2])); diff != "" {
		t.Errorf("memcached and README.md differ (-memcached +README.md):\n%s", diff)
	}
}
