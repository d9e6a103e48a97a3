//go:build servers

package servers

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// untested is what a run without MEMCACHED does not test, and why.
const untested = "NOT TESTED: the proxy and SASL logins. Set MEMCACHED to the path of a memcached with the features of the official image; the one of Debian has not all. test/servers/build-memcached builds one."

// programs is the directory of the programs that the processes run.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "programs"); err != nil {
		panic(err)
	}
	flag.Parse()
	if os.Getenv("MEMCACHED") == "" {
		fmt.Println(untested) // also without -v
		if err := flag.Set("test.skip", "^Test(Proxy|SASL)|/SASL"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// program returns a copy, which the unprivileged user of the processes can execute, of MEMCACHED or else the memcached on the PATH.
func program(t testing.TB) string {
	t.Helper()
	program, err := copiedProgram()
	if err != nil {
		t.Fatalf("this test needs memcached on the PATH (in Debian and Ubuntu: apt-get install memcached) or MEMCACHED: %v", err)
	}
	return program
}

var copiedProgram = sync.OnceValues(func() (string, error) {
	name := os.Getenv("MEMCACHED")
	if name == "" {
		name = "memcached"
	}
	source, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	program := filepath.Join(programs, "memcached")
	if err := os.WriteFile(program, content, 0o755); err != nil {
		return "", err
	}
	return program, os.Chmod(programs, 0o755)
})
