package servers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// server is a memcached that runs.
type server struct {
	address string
	pid     int
}

// start runs a container's command as the pod would, but on a free port of loopback, and returns when it answers.
func start(t *testing.T, container corev1.Container) server {
	t.Helper()
	program, err := exec.LookPath(container.Command[0])
	if err != nil {
		t.Fatalf("this test needs memcached on the PATH (in Debian and Ubuntu: apt-get install memcached): %v", err)
	}
	port := freePort(t)
	args := slices.Clone(container.Command[1:])
	at := slices.Index(args, "-p")
	if at < 0 || args[at+1] != strconv.Itoa(int(container.Ports[0].ContainerPort)) {
		t.Fatalf("the port that is declared, %v, is not the one of the command: %q", container.Ports, args)
	}
	args[at+1] = port
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, append(args, "-l", "127.0.0.1")...)
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if os.Geteuid() == 0 { // a pod's memcached never is, and would ask for the name of a user
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var endedWith error
	go func() {
		defer close(ended)
		endedWith = command.Wait()
	}()
	t.Cleanup(func() { cancel(); <-ended })
	s := server{address: "127.0.0.1:" + port, pid: command.Process.Pid}
	for deadline := time.After(5 * time.Second); ; {
		version, err := s.ask("version")
		if err == nil && strings.HasPrefix(version[0], "VERSION 1.") {
			return s
		}
		select {
		case <-ended:
			t.Fatalf("memcached ended (%v) with %q:\n%s", endedWith, args, log.String())
		case <-deadline:
			t.Fatalf("memcached does not answer \"version\" with %q: %v", args, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ask sends a command and returns the lines that it is answered with.
func (s server) ask(command string) ([]string, error) {
	connection, err := net.DialTimeout("tcp", s.address, time.Second)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(connection, "%s\r\n", command); err != nil {
		return nil, err
	}
	var lines []string
	for reader := bufio.NewScanner(connection); reader.Scan(); {
		line := reader.Text()
		lines = append(lines, line)
		if line == "END" || !strings.HasPrefix(line, "STAT ") {
			return lines, nil
		}
	}
	return nil, fmt.Errorf("%s: the answer ends early: %q", command, lines)
}

// stats returns what the server tells of itself.
func (s server) stats(t *testing.T, command string) map[string]string {
	t.Helper()
	lines, err := s.ask(command)
	if err != nil {
		t.Fatal(err)
	}
	stats := map[string]string{}
	for _, line := range lines {
		if words := strings.SplitN(line, " ", 3); len(words) == 3 {
			stats[words[1]] = words[2]
		}
	}
	return stats
}

// peakMiB is the most memory that the server had at once.
func (s server) peakMiB(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "VmHWM:" {
			kibibytes, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return (kibibytes + 1023) / 1024
		}
	}
	t.Fatalf("no VmHWM in /proc/%d/status", s.pid)
	return 0
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
