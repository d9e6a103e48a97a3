package cluster

import (
	"errors"
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

// Process is a child process that can be killed and started again with the same arguments.
type Process struct {
	Name string

	launcher string
	args     []string
	env      []string
	log      string
	cmd      *exec.Cmd
	done     chan struct{}
}

// Start starts the process. It does not wait until the process is ready.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(p.launcher, p.args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	// In a separate process group Ctrl-C at the terminal reaches only this program, which stops its children in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // the log contains the reason
	}()
	p.cmd, p.done = cmd, done
	return nil
}

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop sends SIGTERM, and kills the process after ten seconds.
func (p *Process) Stop() error {
	if p.cmd == nil {
		return nil
	}
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(10 * time.Second):
		return errors.Join(fmt.Errorf("stop %s: still running after 10 s, killed", p.Name), p.Kill())
	}
}

// Kill ends the process with SIGKILL, like a crash, and waits until it has exited.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

func (p *Process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to %s: %w", s, p.Name, err)
	}
	return nil
}

// exited reports whether the process has exited.
func (p *Process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

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

// freeAddress returns a loopback address with a free port.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), l.Close()
}
