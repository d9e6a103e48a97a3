//go:build servers

package servers

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/command"
	"github.com/example/memcached-operator/webhook/reloader"
)

// runningReloader is a reloader that runs next to a memcached.
type runningReloader struct {
	ended <-chan error
	// used has the log lines about what memcached uses.
	used <-chan string
}

// startReloader runs the reloader with the arguments of the pod, and returns after it has read the files.
func startReloader(t *testing.T, pod corev1.PodSpec, dir string, cache server) runningReloader {
	t.Helper()
	container := pod.Containers[len(pod.Containers)-1]
	if container.Name != "reloader" || container.Args[0] != "reload" {
		t.Fatalf("the pod has no reloader: %v", container)
	}
	var config reloader.Config
	flags := command.ReloadFlags(&config)
	var args []string
	for _, arg := range append(container.Args[1:], "--serves="+config.TLSAddress) {
		for port, address := range cache.ports {
			arg = strings.Replace(arg, "127.0.0.1:"+port, address, 1)
		}
		arg = strings.Replace(arg, "/run/memcached-operator", dir, 1)
		args = append(args, strings.ReplaceAll(arg, "/etc/memcached", dir))
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := config.Check(); err != nil {
		t.Fatal(err)
	}
	config.Interval, config.Patience = 20*time.Millisecond, 2*time.Second
	config.Signal = func() error { return syscall.Kill(cache.PID(), syscall.SIGHUP) }
	log := &watched{Writer: t.Output(), read: make(chan struct{}), used: make(chan string, 100)}
	config.Logger = slog.New(slog.NewTextHandler(log, nil))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- reloader.Run(ctx, config); close(ended) }()
	t.Cleanup(func() {
		cancel()
		for range ended { // wait until the reloader has ended
		}
	})
	select {
	case <-log.read: // the reloader sees each later change
	case <-time.After(10 * time.Second):
		t.Fatal("the reloader does not read the files")
	}
	for len(log.used) > 0 {
		<-log.used
	}
	return runningReloader{ended: ended, used: log.used}
}

// watched is a log that signals its first line and each line about what memcached uses.
type watched struct {
	io.Writer
	once sync.Once
	read chan struct{}
	used chan string
}

func (w *watched) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "memcached uses") {
		w.used <- string(line)
	}
	w.once.Do(func() { close(w.read) })
	return w.Writer.Write(line)
}

// waitForUse returns the next log line about what memcached uses. The reloader must not end.
func (r runningReloader) waitForUse(t *testing.T) string {
	t.Helper()
	select {
	case line := <-r.used:
		return line
	case err := <-r.ended:
		t.Fatalf("the reloader ended: %v", err)
	case <-time.After(20 * time.Second):
		t.Fatal("memcached does not use the change")
	}
	return ""
}

// waitForEnd returns the error with which the reloader ends.
func (r runningReloader) waitForEnd(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the reloader does not end")
		return nil
	}
}
