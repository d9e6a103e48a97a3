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
	"slices"
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
	// MetacontrollerFlags come after the usual ones of the real Metacontroller, and so count instead of them.
	MetacontrollerFlags []string
	// Audit names the users whose requests the API server writes to the cluster's AuditLog, one line of JSON for each.
	Audit []string
}

// Cluster is a running control plane with the hook and Metacontroller.
type Cluster struct {
	Client     client.WithWatch
	Config     *rest.Config
	Kubeconfig string // path of a file that gives every right
	Kubectl    string // path of the program
	AuditLog   string // path of a file, of a cluster that was started with users to audit
	HookOps    string // URL of the hook's health and metrics
	Program    string // path of this repository's program, where it was installed

	Hook           Killable
	Metacontroller Killable

	folder    string
	logs      string
	root      string
	programs  map[string]string
	watchdog  *watchdog
	env       *envtest.Environment
	processes []*Process
	// restartAPIServer is how the API server of a cluster that is not of this program's making is restarted.
	restartAPIServer string
}

// Killable is a part of the cluster that a test may kill and start again.
type Killable interface {
	Kill() error
	Start() error
}

// Start builds what is not built yet, starts everything, and returns when Metacontroller has been started with all
// CompositeControllers applied. On an error nothing stays behind.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	return raise(ctx, options, func(c *Cluster) error { return c.startAll(ctx, options) })
}

// raise makes a cluster of what start starts. On an error nothing stays behind.
func raise(ctx context.Context, options Options, start func(*Cluster) error) (*Cluster, error) {
	c, err := newCluster(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := start(c); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) startAll(ctx context.Context, options Options) error {
	if err := c.buildPrograms(ctx, options.Progress); err != nil {
		return err
	}
	var built *builtHere
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		built, err = c.buildHere(bothCtx)
		return err
	})
	both.Go(func() error {
		fmt.Fprintln(options.Progress, "starting etcd and kube-apiserver")
		crds, err := filepath.Glob(filepath.Join(c.root, "crds", "*"))
		if err != nil {
			return err
		}
		return c.startControlPlane(crds, options.Audit)
	})
	if err := both.Wait(); err != nil {
		return err
	}
	fmt.Fprintln(options.Progress, "starting kube-controller-manager, kube-scheduler, kwok, the hook and Metacontroller")
	if err := c.startNodes(ctx); err != nil {
		return err
	}
	if err := c.startHook(ctx, built.hook, options.Front); err != nil {
		return err
	}
	return c.startMetacontroller(ctx, built, "metacontroller", options.MetacontrollerFlags)
}

func (c *Cluster) buildPrograms(ctx context.Context, progress io.Writer) error {
	programs, err := Build(ctx, progress)
	c.programs, c.Kubectl = programs, programs["kubectl"]
	return err
}

// newCluster makes the folder of a cluster, and the watchdog over it.
func newCluster(ctx context.Context, options Options) (*Cluster, error) {
	log.SetLogger(logr.Discard()) // envtest tells nothing that an error does not tell
	root, err := repository(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "memcached-cluster-")
	if err != nil {
		return nil, err
	}
	watchdog, err := startWatchdog(folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	c := &Cluster{folder: folder, root: root, watchdog: watchdog, logs: options.Logs}
	if c.logs == "" {
		c.logs = filepath.Join(folder, "logs")
	}
	for _, path := range []string{c.logs, filepath.Join(folder, "bin"), filepath.Join(folder, "etcd"), filepath.Join(folder, "apiserver")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	return c, nil
}

// Stop ends every process, the last started first, and removes the folder.
func (c *Cluster) Stop() error {
	var errs []error
	for _, p := range slices.Backward(c.processes) {
		errs = append(errs, p.Stop())
	}
	if c.env != nil {
		errs = append(errs, c.env.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(c.folder), c.watchdog.stop())...)
}

// Check returns an error when a program that should run has ended.
func (c *Cluster) Check() error {
	for _, p := range c.processes {
		if p.exited() {
			return fmt.Errorf("%s has ended; the end of its log:\n%s", p.Name, c.Log(p.Name, 2000))
		}
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

// Run starts a program with the cluster's kubeconfig. It logs into a file of its own, and ends with the cluster.
func (c *Cluster) Run(program string, args ...string) (*Process, error) {
	launcher, err := writeLauncher(filepath.Join(c.folder, "bin"), program)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(program)
	p := &Process{
		Name:     name,
		launcher: launcher,
		args:     args,
		env:      []string{"KUBECONFIG=" + c.Kubeconfig},
		log:      filepath.Join(c.logs, name+".log"),
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	c.processes = append(c.processes, p)
	return p, nil
}

// poll asks until there is no error, and ends with the last one when the time is over.
func poll(ctx context.Context, timeout time.Duration, what string, done func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := done(ctx)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // what the end of the time cut short tells nothing
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: not within %s: %w", what, timeout, last)
		case <-tick.C:
		}
	}
}
