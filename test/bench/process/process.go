// Package process starts programs to measure and reads their CPU time and memory from /proc.
package process

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ticksPerSecond is the unit of times in /proc/<pid>/stat: USER_HZ, which Linux fixes at 100.
const ticksPerSecond = 100

// Process is a running program.
type Process struct {
	PID int

	cmd    *exec.Cmd
	output bytes.Buffer
	ended  chan struct{}
}

// Start starts a program.
func Start(name string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p.PID = p.cmd.Process.Pid
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the output contains the reason
	}()
	return p, nil
}

// Listening waits until the program accepts connections.
func (p *Process) Listening(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to listen on %s: %w", p.cmd.Path, address, err)
		case <-p.ended:
			return fmt.Errorf("%s exited: %s", p.cmd.Path, p.output.String())
		case <-tick.C:
		}
	}
}

// Stop ends the program and waits until it has exited.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails if it has exited
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill() // fails only if it has exited
		<-p.ended
	}
}

// CPU returns the CPU time of a process in user and kernel mode.
func CPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, fmt.Errorf("reading the CPU time of process %d: %w", pid, err)
	}
	// The second field is the program's name in parentheses and may contain spaces. utime and stime are fields 14 and 15.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("reading the CPU time of process %d: %q has too few fields", pid, stat)
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading the CPU time of process %d: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}

// Resident returns the current and the peak resident memory of a process in bytes.
func Resident(pid int) (now, peak int64, err error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "VmRSS":
			_, err = fmt.Sscanf(value, "%d kB", &now)
		case "VmHWM":
			_, err = fmt.Sscanf(value, "%d kB", &peak)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("reading the memory of process %d: %q: %w", pid, line, err)
		}
	}
	return now << 10, peak << 10, nil
}

// FreeAddress returns a loopback address with a free port.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}
