package command

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryFile has the memory limit of the container with cgroup v2, or "max".
const memoryFile = "/sys/fs/cgroup/memory.max"

// limitMemory makes the garbage collector run more often above three quarters of the limit in a file, because the kernel kills a container at
// its limit. GOMEMLIMIT has precedence.
func limitMemory(file string) {
	content, _ := os.ReadFile(file)
	limit, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err == nil && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 4 * 3)
	}
}
