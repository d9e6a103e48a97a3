package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is one process of the program.
type server struct {
	address, ops string
	command      *exec.Cmd
	ended        chan struct{}
	err          error

	mutex sync.Mutex
	log   strings.Builder
}

// maxLog limits the stored bytes of a server's log. Later lines are discarded.
const maxLog = 1 << 20

// start starts the binary on free loopback ports with additional flags, and returns when the server listens.
func start(ctx context.Context, binary string, args ...string) (*server, error) {
	args = append([]string{"serve", "-address=127.0.0.1:0", "-ops-address=127.0.0.1:0", "-log-format=json"}, args...)
	return startCommand(exec.CommandContext(ctx, binary, args...))
}

func startCommand(command *exec.Cmd) (*server, error) {
	s := &server{command: command, ended: make(chan struct{})}
	// The value of the Deployment, whose memory limit is 256 MiB.
	command.Env = append(os.Environ(), "GOMEMLIMIT=230MiB")
	stderr, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	serving := make(chan struct{})
	go s.read(stderr, serving)
	select {
	case <-serving:
		return s, nil
	case <-s.ended:
		return nil, fmt.Errorf("the server exited during the start: %w: %s", s.err, s.logged())
	case <-time.After(20 * time.Second):
		s.kill()
		return nil, errors.New("the server did not start within 20 s")
	}
}

func (s *server) read(stderr io.Reader, serving chan<- struct{}) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, maxLog)
	for lines.Scan() {
		if s.address == "" && s.serves(lines.Bytes()) {
			close(serving)
		}
		s.mutex.Lock()
		if s.log.Len() < maxLog {
			s.log.Write(append(lines.Bytes(), '\n'))
		}
		s.mutex.Unlock()
	}
	s.err = s.command.Wait()
	close(s.ended)
}

// serves reports whether the line logs the start of the server, and stores the addresses.
func (s *server) serves(line []byte) bool {
	var entry struct {
		Message string `json:"msg"`
		Address string `json:"address"`
		Ops     string `json:"ops-address"`
	}
	if err := json.Unmarshal(line, &entry); err != nil || entry.Message != "serving hooks" {
		return false
	}
	s.address, s.ops = entry.Address, entry.Ops
	return true
}

func (s *server) logged() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.log.String()
}

// stop sends SIGTERM, which drains the server, and waits until it exits.
func (s *server) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return s.err
	case <-time.After(time.Minute):
		s.kill()
		return errors.New("the server did not exit within a minute after SIGTERM")
	}
}

func (s *server) kill() {
	_ = s.command.Process.Kill()
	<-s.ended
}

func (s *server) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// memory returns VmRSS or VmHWM (the peak) of the process in bytes.
func (s *server) memory(name string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name+":" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("the status of the process has no %s", name)
}

// metric returns the value of a metric without labels from /metrics.
func (s *server) metric(ctx context.Context, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.ops+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s: %w", name, lines.Err())
}

func mib(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }
