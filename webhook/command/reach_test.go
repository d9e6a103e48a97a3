package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReach checks the exit code without a proxy: the kubelet shows the error in an Event.
func TestReach(t *testing.T) {
	t.Parallel()
	_, stderr, code := finish(t, "reach", "--proxy", "127.0.0.1:1", "--wait", "10ms")
	if code != 1 || !strings.Contains(stderr, "the proxy cannot reach any server") {
		t.Errorf("exit code %d, stderr %q, want 1 and an error", code, stderr)
	}
}

// TestReachCopiesProgram checks that the copy runs, also after a copy that was interrupted.
func TestReachCopiesProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(file, []byte("a part"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := finish(t, "reach", "--copy-to", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	cmd := exec.CommandContext(t.Context(), file, "--version")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "memcached-operator") {
		t.Errorf("the copy returns %v and prints %q", err, out)
	}
}
