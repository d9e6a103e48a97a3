//go:build faults

package faults

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var binary = flag.String("program", "", "`file` of the program")

// program is one process of the program.
type program struct {
	address, ops string
	process      *os.Process
	ended        chan struct{}
	err          error
}

var serving = regexp.MustCompile(`"serving hooks" address=(\S+) .*ops-address=(\S+)`)

// start starts the program on free loopback ports until the test ends, and returns when it listens. It skips the test without
// the flag -program.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command := exec.CommandContext(t.Context(), *binary, append([]string{"serve", "-address=127.0.0.1:0", "-ops-address=127.0.0.1:0"}, args...)...)
	command.Env = append(os.Environ(), "GOMEMLIMIT=230MiB") // as in the Deployment, whose memory limit is 256 MiB
	command.Stderr = log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{process: command.Process, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = command.Wait()
	}()
	t.Cleanup(func() { <-p.ended }) // the end of t.Context() kills the process
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); pause(t.Context(), 10*time.Millisecond) {
		content, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := serving.FindSubmatch(content); found != nil {
			p.address, p.ops = string(found[1]), string(found[2])
			return p
		}
	}
	content, _ := os.ReadFile(log.Name())
	t.Fatalf("the program did not listen within 20 s: %s", content)
	return nil
}

func (p *program) url() string { return "http://" + p.address }

// stop sends SIGTERM, which drains the program, and waits until it exits.
func (p *program) stop(t *testing.T) {
	t.Helper()
	if err := p.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
		if p.err != nil {
			t.Errorf("the drain: %v", p.err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the program did not exit within a minute after SIGTERM")
	}
}

// memory returns VmRSS or VmHWM (the peak) of the process in MiB.
func (p *program) memory(t *testing.T, name string) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return number(t, status, name+":") / 1024
}

// goroutines returns the number of goroutines from /metrics.
func (p *program) goroutines(t *testing.T) float64 {
	t.Helper()
	response, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return number(t, content, "go_goroutines")
}

// number returns the number after a name at the beginning of a line.
func number(t *testing.T, content []byte, name string) float64 {
	t.Helper()
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			value, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}
