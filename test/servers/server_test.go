package servers

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	log     string // the file that has what it writes
	// ports are the addresses on loopback of all ports on which the server was told to listen, by the port in the pod.
	ports map[string]string
}

// start runs a container's command as the pod would, but on free ports of loopback, and returns when it takes connections
// on all of them. Where the container has files, they are in the given folder instead of /etc/memcached.
func start(t *testing.T, container corev1.Container, folder string) server {
	t.Helper()
	program, err := exec.LookPath(container.Command[0])
	if err != nil {
		t.Fatalf("this test needs memcached on the PATH (in Debian and Ubuntu: apt-get install memcached): %v", err)
	}
	args, ports := onLoopback(t, container)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "/etc/memcached", folder)
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, args...)
	command.Env = os.Environ()
	for _, variable := range container.Env {
		command.Env = append(command.Env, variable.Name+"="+strings.ReplaceAll(variable.Value, "/etc/memcached", folder))
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log")) // a file, because a buffer has the lines a while later
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // the process has its own descriptor
	command.Stdout, command.Stderr = log, log
	if os.Geteuid() == 0 { // a pod's memcached never is, and would ask for the name of a user
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
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
	s := server{address: ports[declared(container)], pid: command.Process.Pid, log: log.Name(), ports: ports}
	for deadline := time.After(5 * time.Second); ; {
		err := s.takesConnections()
		if err == nil {
			return s
		}
		select {
		case <-ended:
			t.Fatalf("memcached ended (%v) with %q:\n%s", endedWith, args, s.logged(t))
		case <-deadline:
			t.Fatalf("memcached does not listen with %q: %v", args, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// logged is what the server has written so far.
func (s server) logged(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// nobody is a user, and a group, with no rights.
const nobody = 65534

// declared is the port of clients.
func declared(container corev1.Container) string {
	return strconv.Itoa(int(container.Ports[0].ContainerPort))
}

// onLoopback returns the arguments with a free port of loopback for each port of the pod. It fails for a port that is
// open to others and not declared.
func onLoopback(t *testing.T, container corev1.Container) (args []string, ports map[string]string) {
	t.Helper()
	args, ports = slices.Clone(container.Command[1:]), map[string]string{}
	at := slices.Index(args, "-p")
	if at < 0 || args[at+1] != declared(container) {
		t.Fatalf("the port that is declared, %v, is not the one of the command: %q", container.Ports, args)
	}
	args[at+1] = freePort(t)
	ports[declared(container)] = "127.0.0.1:" + args[at+1]
	at = slices.Index(args, "-l")
	if at < 0 {
		return append(args, "-l", "127.0.0.1"), ports
	}
	listeners := strings.Split(args[at+1], ",")
	for i, listener := range listeners {
		if listener == "*" {
			listeners[i] = "127.0.0.1"
			continue
		}
		rest, port := cutLast(listener, ":")
		prefix, host := cutLast(rest, ":")
		known := slices.ContainsFunc(container.Ports, func(each corev1.ContainerPort) bool { return strconv.Itoa(int(each.ContainerPort)) == port })
		if (host == "*") != known || host != "*" && host != "127.0.0.1" {
			t.Fatalf("the listener %s does not go with the ports that are declared: %v", listener, container.Ports)
		}
		free := freePort(t)
		listeners[i], ports[port] = prefix+":127.0.0.1:"+free, "127.0.0.1:"+free
	}
	args[at+1] = strings.Join(listeners, ",")
	return args, ports
}

// cutLast cuts the text at its last separator. Without one, all of it comes after.
func cutLast(text, separator string) (before, after string) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return "", text
	}
	return text[:at], text[at+len(separator):]
}

// takesConnections is what the pod's own probe asks, of all ports.
func (s server) takesConnections() error {
	for _, address := range s.ports {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return err
		}
		connection.Close()
	}
	return nil
}

// ask sends a command and returns the lines that it is answered with.
func (s server) ask(command string) ([]string, error) {
	connection, err := net.DialTimeout("tcp", s.address, time.Second)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return ask(connection, command)
}

// ask sends a command over a connection and returns the lines that it is answered with.
func ask(connection net.Conn, command string) ([]string, error) {
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
