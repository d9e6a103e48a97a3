package reloader

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemcachedProcess(t *testing.T) {
	cases := []struct {
		reason    string
		processes map[string]string
		want      int
		found     bool
	}{
		{"memcached next to the reloader and the exporter", map[string]string{"1": "pause\n", "14": "memcached\n", "20": "memcached-opera\n"}, 14, true},
		{"memcached has ended", map[string]string{"1": "pause\n", "20": "memcached-opera\n"}, 0, false},
		{"files that are no process", map[string]string{"self": "memcached\n"}, 0, false},
		{"a name that starts with a digit", map[string]string{"1x": "memcached\n"}, 0, false},
	}
	for _, test := range cases {
		proc := t.TempDir()
		for id, name := range test.processes {
			if err := os.Mkdir(filepath.Join(proc, id), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(proc, id, "comm"), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := memcachedProcess(proc); got != test.want || (err == nil) != test.found {
			t.Errorf("%s: got %d, %v, want %d", test.reason, got, err, test.want)
		}
	}
}
