// Package cluster runs a real Kubernetes control plane on this machine: etcd, kube-apiserver, kube-controller-manager
// and kube-scheduler, with kwok in the place of kubelets: pods become Running, and no container is started. On it run the
// hook of this repository and Metacontroller, with every CustomResourceDefinition and CompositeController of the
// repository applied. The demo and the cluster tests are built on it.
//
// Every server listens on a free loopback port and keeps its state in one temporary folder.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Options say how a cluster differs from the usual one.
type Options struct {
	// Progress is told what is being done, in plain lines.
	Progress io.Writer
	// Logs is the folder that each program's log is written to. When it is empty, the logs go with the cluster.
	Logs string
	// Front returns the URL that Metacontroller calls in the place of the hook's own: that of a proxy, in a test.
	Front func(hookURL string) (string, error)
}

// Cluster is a running control plane with the hook and Metacontroller.
type Cluster struct {
	Client     client.WithWatch
	Config     *rest.Config
	Kubeconfig string // path of a file that gives every right
	Kubectl    string // path of the program

	Hook           *Process
	Metacontroller *Process

	folder     string
	logs       string
	root       string
	programs   map[string]string
	watchdog   *watchdog
	env        *envtest.Environment
	background []*Process
}

// Start builds what is not built yet, starts everything, and returns when Metacontroller has been started with all
// CompositeControllers applied. On an error nothing stays behind.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	log.SetLogger(logr.Discard()) // envtest tells nothing that an error does not tell
	programs, err := Build(ctx, options.Progress)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "memcached-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder, logs: options.Logs, programs: programs, Kubectl: programs["kubectl"]}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	if c.watchdog, err = startWatchdog(folder); err != nil {
		return nil, err
	}
	if c.root, err = repository(ctx); err != nil {
		return nil, err
	}
	if c.logs == "" {
		c.logs = filepath.Join(folder, "logs")
	}
	for _, path := range []string{c.logs, filepath.Join(folder, "bin"), filepath.Join(folder, "etcd"), filepath.Join(folder, "apiserver")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
	}
	var built *builtHere
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		built, err = c.buildHere(bothCtx)
		return err
	})
	both.Go(func() error {
		fmt.Fprintln(options.Progress, "starting etcd and kube-apiserver")
		return c.startControlPlane()
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	fmt.Fprintln(options.Progress, "starting kube-controller-manager, kube-scheduler, kwok, the hook and Metacontroller")
	if err := c.startNodes(ctx); err != nil {
		return nil, err
	}
	if err := c.startHook(ctx, built, options.Front); err != nil {
		return nil, err
	}
	return c, nil
}

// Stop ends every process, the last started first, and removes the folder.
func (c *Cluster) Stop() error {
	var errs []error
	stop := func(p *Process) {
		if p != nil {
			errs = append(errs, p.Stop())
		}
	}
	stop(c.Metacontroller)
	stop(c.Hook)
	for _, p := range c.background {
		stop(p)
	}
	if c.env != nil {
		errs = append(errs, c.env.Stop())
	}
	errs = append(errs, os.RemoveAll(c.folder))
	if c.watchdog != nil {
		errs = append(errs, c.watchdog.stop())
	}
	return errors.Join(errs...)
}

// Check returns an error when a program that should run has ended.
func (c *Cluster) Check() error {
	for _, p := range append([]*Process{c.Hook, c.Metacontroller}, c.background...) {
		if p.exited() {
			return fmt.Errorf("%s has ended; the end of its log:\n%s", p.Name, c.Log(p.Name, 2000))
		}
	}
	return nil
}

// RestartAPIServer kills the API server and starts it on the same port with the same state. A polite stop would wait a
// minute for the watches of all controllers to end.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	server := c.env.ControlPlane.APIServer
	id, err := os.ReadFile(filepath.Join(c.folder, "bin", "kube-apiserver.pid"))
	if err != nil {
		return fmt.Errorf("find the process of kube-apiserver: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(id)))
	if err != nil {
		return fmt.Errorf("find the process of kube-apiserver: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill kube-apiserver: %w", err)
	}
	// Until envtest has seen the end of the process, it fails to signal it.
	if err := poll(ctx, 10*time.Second, "kube-apiserver has ended", func(context.Context) error { return server.Stop() }); err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start kube-apiserver again: %w", err)
	}
	return nil
}

// Log returns the last bytes of a program's log, to print when something failed.
func (c *Cluster) Log(name string, bytes int) string {
	log, err := os.ReadFile(filepath.Join(c.logs, name+".log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-bytes):])
}

// process describes a program that will run with the cluster's kubeconfig and log into its own file.
func (c *Cluster) process(program string, args ...string) (*Process, error) {
	launcher, err := writeLauncher(filepath.Join(c.folder, "bin"), program)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(program)
	return &Process{
		Name:     name,
		launcher: launcher,
		args:     args,
		env:      []string{"KUBECONFIG=" + c.Kubeconfig},
		log:      filepath.Join(c.logs, name+".log"),
	}, nil
}

// poll asks until done says yes, and ends with the last error when the time is over.
func poll(ctx context.Context, timeout time.Duration, what string, done func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := done(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not within %s: %w", what, timeout, err)
		case <-tick.C:
		}
	}
}
