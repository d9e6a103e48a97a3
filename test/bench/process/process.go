// Package process starts programs to measure and reads their CPU time and memory from /proc.
package process

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a running program.
type Process struct {
	PID int
	cmd *exec.Cmd
}

// Start starts a program, whose errors go to stderr.
func Start(name string, args ...string) (*Process, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return &Process{cmd.Process.Pid, cmd}, nil
}

// Listening waits until the program accepts connections.
func (p *Process) Listening(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return connection.Close()
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for %s: %w", p.cmd.Path, err)
		}
		time.Sleep(time.Millisecond)
	}
}

// Stop kills the program and waits until it has exited.
func (p *Process) Stop() {
	_ = p.cmd.Process.Kill() // fails only if it has exited
	_ = p.cmd.Wait()         // returns that it was killed
}

// CPU returns the CPU time of a process in user and kernel mode.
func CPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// utime and stime are fields 14 and 15. The second field is the name in parentheses and may contain spaces.
	_, rest, _ := strings.Cut(string(stat), ") ")
	var user, system int64
	if _, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system); err != nil {
		return 0, fmt.Errorf("reading the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil // Linux fixes the unit USER_HZ at 100 per second
}

// Resident returns the current and the peak resident memory of a process in bytes.
func Resident(pid int) (now, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for field, kib := range map[string]*int64{"\nVmRSS:": &now, "\nVmHWM:": &peak} {
		_, rest, _ := strings.Cut(string(status), field)
		if _, err := fmt.Sscan(rest, kib); err != nil {
			return 0, 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
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
