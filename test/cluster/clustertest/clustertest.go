// Package clustertest has what the tests of all clusters need.
package clustertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Run returns what a program of the cluster prints, for example RunKubectl. It fails the test if the program fails.
func Run(t *testing.T, program func(context.Context, ...string) (string, error), args ...string) string {
	t.Helper()
	out, err := program(t.Context(), args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// WriteFile writes a temporary file and returns its path.
func WriteFile(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
