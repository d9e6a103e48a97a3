// Package process starts the programs of tests and benchmarks, and reads their CPU time and memory.
package process

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is a program that can be stopped and started again with the same arguments.
type Process struct {
	// Path is the path of the program.
	Path string
	Args []string
	// Env is added to the environment of this process.
	Env []string
	// Log is the file that the output is appended to. Without it the output goes to standard error.
	Log  string
	Attr *syscall.SysProcAttr

	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts the process. It does not wait until the process is ready.
func (p *Process) Start() error {
	output := os.Stderr
	if p.Log != "" {
		log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) // a file, because a buffer gets the lines later
		if err != nil {
			return fmt.Errorf("start %s: %w", p.name(), err)
		}
		defer log.Close() // the process has its own descriptor
		output = log
	}
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = p.Attr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name(), err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.err = cmd.Wait()
	}()
	p.cmd, p.done = cmd, done
	return nil
}

func (p *Process) name() string { return filepath.Base(p.Path) }

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited reports whether the process has exited.
func (p *Process) Exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Err returns the error that the process exited with. It waits until the process has exited.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Stop sends SIGTERM and waits until the process has exited. It kills the process after the timeout.
func (p *Process) Stop(timeout time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(timeout):
		return errors.Join(fmt.Errorf("stop %s: still running after %s, killed", p.name(), timeout), p.Kill())
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
		return fmt.Errorf("send %v to %s: %w", s, p.name(), err)
	}
	return nil
}

// WaitFor calls ready every 10 ms until it returns no error. It fails when the context ends or the process exits.
func (p *Process) WaitFor(ctx context.Context, ready func() error) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w", p.name(), context.Cause(ctx), err)
		case <-p.done:
			log, _ := os.ReadFile(p.Log)
			return fmt.Errorf("wait for %s: it exited: %w: %w\n%s", p.name(), p.err, err, log)
		case <-tick.C:
		}
	}
}

// WaitForLog waits until the log matches a regular expression and returns the submatches.
func (p *Process) WaitForLog(ctx context.Context, expression *regexp.Regexp) (found []string, err error) {
	err = p.WaitFor(ctx, func() error {
		content, err := os.ReadFile(p.Log)
		if err != nil {
			return err
		}
		if found = expression.FindStringSubmatch(string(content)); found == nil {
			return fmt.Errorf("%s does not match %s", p.Log, expression)
		}
		return nil
	})
	return found, err
}

// Listens returns a function for WaitFor: it returns no error if all addresses accept connections.
func Listens(addresses ...string) func() error {
	return func() error {
		for _, address := range addresses {
			connection, err := net.Dial("tcp", address)
			if err != nil {
				return err
			}
			connection.Close()
		}
		return nil
	}
}

// Ports of FreeAddress lie below the ephemeral ports of Linux, so that no outgoing connection takes one before the server
// listens on it. Each process starts somewhere else and never returns a port twice before it has tried all others.
const (
	firstPort = 12_000
	ports     = 20_000
)

var (
	startPort = rand.Uint32N(ports)
	tried     atomic.Uint32
)

// FreeAddress returns a loopback address with a free port, another one for each call.
func FreeAddress() (string, error) {
	var failed error
	for range ports {
		port := firstPort + (startPort+tried.Add(1))%ports
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return listener.Addr().String(), listener.Close()
		}
		failed = err
	}
	return "", fmt.Errorf("find a free port: %w", failed)
}
