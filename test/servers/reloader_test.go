package servers

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/sidecar"
)

// startReloader runs what the pod's reloader runs, and returns what it tells when it ends: a report, or an error.
func startReloader(t *testing.T, pod corev1.PodSpec, folder string, beside server) <-chan any {
	t.Helper()
	container := pod.Containers[len(pod.Containers)-1]
	if container.Name != "reload" || container.Args[0] != "reload" {
		t.Fatalf("the pod has no reloader: %v", container)
	}
	var config sidecar.Config
	flags := flag.NewFlagSet("reload", flag.ContinueOnError)
	config.AddFlags(flags)
	var args []string
	for _, arg := range append(container.Args[1:], "-serves="+config.Serves) {
		for port, address := range beside.ports {
			arg = strings.Replace(arg, "127.0.0.1:"+port, address, 1)
		}
		arg = strings.Replace(arg, "/run/memcached-operator", folder, 1)
		args = append(args, strings.ReplaceAll(arg, "/etc/memcached", folder))
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := config.Check(); err != nil {
		t.Fatal(err)
	}
	config.Interval, config.Patience = 20*time.Millisecond, 2*time.Second
	config.Signal = func() error { return syscall.Kill(beside.pid, syscall.SIGHUP) }
	logged := &watched{Writer: t.Output(), looked: make(chan bool)}
	config.Logger = slog.New(slog.NewTextHandler(logged, nil))
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan any, 1), make(chan struct{})
	go func() {
		defer close(ended)
		report, err := sidecar.Run(ctx, config)
		if err != nil {
			told <- err
		} else if report != "" {
			told <- report
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	select {
	case <-logged.looked: // what changes from now on is a change
	case <-time.After(10 * time.Second):
		t.Fatal("the reloader does not look at the files")
	}
	return told
}

// watched is a log that tells of its first line.
type watched struct {
	io.Writer
	once   sync.Once
	looked chan bool
}

func (w *watched) Write(line []byte) (int, error) {
	w.once.Do(func() { close(w.looked) })
	return w.Writer.Write(line)
}

func wait(t *testing.T, told <-chan any) any {
	t.Helper()
	select {
	case what := <-told:
		return what
	case <-time.After(20 * time.Second):
		t.Fatal("the reloader tells nothing")
		return nil
	}
}
