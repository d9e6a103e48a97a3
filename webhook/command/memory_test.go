package command

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	for _, test := range []struct {
		reason, content, environment string
		want                         int64
	}{
		{"a container with 64 MiB", "67108864\n", "", 48 << 20},
		{"a container without a limit", "max\n", "", before},
		{"the user's own limit", "67108864\n", "20MiB", before}, // the runtime has read it before
	} {
		debug.SetMemoryLimit(before)
		t.Setenv("GOMEMLIMIT", test.environment)
		file := filepath.Join(t.TempDir(), "memory.max")
		if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		limitMemory(file)
		if got := debug.SetMemoryLimit(-1); got != test.want {
			t.Errorf("%s: the limit is %d, want %d", test.reason, got, test.want)
		}
	}
}
