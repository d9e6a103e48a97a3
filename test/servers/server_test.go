//go:build servers

package servers

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/internal/process"
)

// server is a running process.
type server struct {
	*process.Process
	address string
	// ports has the loopback address for each port in the pod.
	ports map[string]string
}

// start runs the command of a container on free ports of loopback, and returns when it accepts connections on all of them.
// The given directory replaces /etc/memcached.
func start(t *testing.T, container corev1.Container, dir string) server {
	t.Helper()
	args, ports := onLoopback(t, container)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "/etc/memcached", dir)
	}
	args = withFlash(args, filepath.Join(dir, "flash"))
	var env []string
	for _, variable := range container.Env {
		env = append(env, variable.Name+"="+strings.ReplaceAll(variable.Value, "/etc/memcached", dir))
	}
	s := launch(t, program(t), args, env, ports)
	s.address = ports[declared(container)]
	return s
}

// launch starts a program, and returns when it accepts connections on all ports.
func launch(t testing.TB, program string, args, env []string, ports map[string]string) server {
	t.Helper()
	s := server{Process: startUnprivileged(t, program, args, env), ports: ports}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.WaitFor(ctx, process.Listens(slices.Collect(maps.Values(ports))...)); err != nil {
		t.Fatalf("%s with %q: %v\n%s", program, args, err, s.logged(t))
	}
	return s
}

// startUnprivileged starts a program as an unprivileged user and kills it when the test ends.
func startUnprivileged(t testing.TB, program string, args, env []string) *process.Process {
	t.Helper()
	p := &process.Process{Path: program, Args: args, Env: env, Log: filepath.Join(t.TempDir(), "log")}
	if os.Geteuid() == 0 { // memcached as root needs the name of a user; in a pod it never runs as root
		p.Attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

// logged returns the output of the server so far.
func (s server) logged(t testing.TB) string {
	t.Helper()
	content, err := os.ReadFile(s.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// nobody is an unprivileged user and group.
const nobody = 65534

// declared returns the port for clients that a container declares.
func declared(container corev1.Container) string {
	return strconv.Itoa(int(container.Ports[0].ContainerPort))
}

// onLoopback returns the arguments with a free port of loopback for each port of the pod. It fails if a port that is not
// loopback is not declared.
func onLoopback(t *testing.T, container corev1.Container) (args []string, ports map[string]string) {
	t.Helper()
	args, ports = slices.Clone(container.Command[1:]), map[string]string{}
	at := slices.Index(args, "-p")
	if at < 0 || args[at+1] != declared(container) {
		t.Fatalf("the container declares the ports %v, but the command has %q", container.Ports, args)
	}
	address := freeAddress(t)
	_, args[at+1] = cutColon(address)
	ports[declared(container)] = address
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
		rest, port := cutColon(listener)
		prefix, host := cutColon(rest)
		known := slices.ContainsFunc(container.Ports, func(each corev1.ContainerPort) bool { return strconv.Itoa(int(each.ContainerPort)) == port })
		if (host == "*") != known || host != "*" && host != "127.0.0.1" {
			t.Fatalf("the listener %s does not match the declared ports %v", listener, container.Ports)
		}
		ports[port] = freeAddress(t)
		listeners[i] = prefix + ":" + ports[port]
	}
	args[at+1] = strings.Join(listeners, ",")
	return args, ports
}

// cutColon cuts text around the last colon. Without a colon, after is the whole text.
func cutColon(text string) (before, after string) {
	at := strings.LastIndex(text, ":")
	if at < 0 {
		return "", text
	}
	return text[:at], text[at+1:]
}

// send sends a command and returns the lines of the response.
func (s server) send(command string) ([]string, error) {
	connection, err := net.DialTimeout("tcp", s.address, 20*time.Second)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return send(connection, command)
}

// send sends a command over a connection and returns the lines of the response.
func send(connection net.Conn, command string) ([]string, error) {
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
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
	return nil, fmt.Errorf("%s: the response is incomplete: %q", command, lines)
}

// stats returns the statistics that a command such as "stats settings" returns.
func (s server) stats(t testing.TB, command string) map[string]string {
	t.Helper()
	lines, err := s.send(command)
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

// memory returns the current and the peak resident MiB of the process.
func (s server) memory(t testing.TB) (now, peak float64) {
	t.Helper()
	now, peak, err := s.MiB()
	if err != nil {
		t.Fatal(err)
	}
	return now, peak
}

// peakMiB returns the peak resident memory of the process.
func (s server) peakMiB(t testing.TB) int64 {
	t.Helper()
	_, peak := s.memory(t)
	return int64(math.Ceil(peak))
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := process.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}
