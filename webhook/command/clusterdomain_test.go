package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSearchedDomain(t *testing.T) {
	for _, test := range []struct{ reason, content, want string }{
		{"a pod", "search web.svc.corp.example svc.corp.example corp.example node.example\nnameserver 10.96.0.10\noptions ndots:5\n", "corp.example"},
		{"a namespace with the name svc", "search svc.svc.cluster.local svc.cluster.local cluster.local\n", "cluster.local"},
		{"no pod", "nameserver 10.0.0.2\nsearch node.example\n", ""},
		{"no list", "search\n\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "resolv.conf")
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := searchedDomain(file); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
	if got := searchedDomain(filepath.Join(t.TempDir(), "missing")); got != "" {
		t.Errorf("without the file: got %q", got)
	}
}
