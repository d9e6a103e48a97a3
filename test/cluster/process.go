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

// Process is a program that runs beside this one, can be killed, and can be started again with the same arguments.
type Process struct {
	Name string

	launcher string
	args     []string
	env      []string
	log      string
	cmd      *exec.Cmd
	done     chan struct{}
}

// Start starts the process and does not wait until it is ready: what needs it asks until it answers.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	defer log.Close()
	cmd := exec.Command(p.launcher, p.args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	// Its own process group: Ctrl-C at the terminal reaches this program only, which then stops the others in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // how it ended is in its log; whoever stops it does not care
	}()
	p.cmd, p.done = cmd, done
	return nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the process to end, and kills it when it has not after ten seconds.
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

// Kill ends the process at once, as a crash would, and waits until it is gone.
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

// exited says whether the process has ended.
func (p *Process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// writeLauncher writes a script that notes its process id in folder and becomes the program: the watchdog then knows
// every process, those that envtest starts too.
func writeLauncher(folder, program string) (string, error) {
	name := filepath.Base(program)
	launcher := filepath.Join(folder, name)
	script := fmt.Sprintf("#!/bin/sh\necho $$ >%s\nexec %s \"$@\"\n", quote(launcher+".pid"), quote(program))
	if err := os.WriteFile(launcher, []byte(script), 0o755); err != nil {
		return "", fmt.Errorf("write the launcher of %s: %w", name, err)
	}
	return launcher, nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// freeAddress is a loopback address that nothing listens on at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), l.Close()
}
