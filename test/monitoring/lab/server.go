package lab

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/memcached_exporter/pkg/exporter"
)

// server is a memcached with its exporter.
type server struct {
	cache, pod string
	address    string
	exporter   string // the address of its metrics
	args       []string
	process    *exec.Cmd
	pid        int64
}

// start starts memcached, and returns when it accepts connections.
func (s *server) start(ctx context.Context) error {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	args := append([]string{"-l", host, "-p", port, "-U", "0"}, s.args...)
	if os.Getuid() == 0 {
		args = append(args, "-u", "root") // memcached does not start as root without it
	}
	process := exec.CommandContext(ctx, "memcached", args...)
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		return fmt.Errorf("starting memcached (in Debian and Ubuntu: apt-get install memcached): %w", err)
	}
	s.process = process
	s.pid = int64(s.process.Process.Pid)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		connection, err := net.Dial("tcp", s.address)
		if err == nil {
			return connection.Close()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not accept connections: %w", s.pod, err)
		}
	}
}

// stop kills memcached, as the kernel does if it needs too much memory.
func (s *server) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// export serves the metrics of the real exporter until the context ends.
func (s *server) export(ctx context.Context) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(exporter.New(s.address, time.Second, slog.New(slog.DiscardHandler), nil)); err != nil {
		return err
	}
	var err error
	s.exporter, err = serve(ctx, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return err
}

// memoryBytes returns the resident memory of memcached.
func (s *server) memoryBytes() (int64, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(bytes.Fields(content)[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// serve serves HTTP on a free port of loopback until the context ends.
func serve(ctx context.Context, handler http.Handler) (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	served := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = served.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = served.Close() })
	return listener.Addr().String(), nil
}

// freeAddress returns an address of loopback that no program uses.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
