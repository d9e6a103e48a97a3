package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeLauncher writes a script that records its process ID in dir and executes the program. So the watchdog knows every
// process, including those that envtest starts.
func writeLauncher(dir, program string) (string, error) {
	name := filepath.Base(program)
	launcher := filepath.Join(dir, name)
	script := fmt.Sprintf("#!/bin/sh\necho $$ >%s\nexec %s \"$@\"\n", quote(launcher+".pid"), quote(program))
	if err := os.WriteFile(launcher, []byte(script), 0o755); err != nil {
		return "", fmt.Errorf("write the launcher of %s: %w", name, err)
	}
	return launcher, nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
