// Package cluster runs a real Kubernetes control plane on this machine: etcd, kube-apiserver, kube-controller-manager
// and kube-scheduler. kwok simulates the kubelets: pods become Running, but no container starts. The cluster runs the hook
// of this repository and Metacontroller, with every CRD and CompositeController of the repository applied. The demo and
// the cluster tests use it.
//
// Every server listens on a free loopback port and keeps its state in one temporary directory.
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
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/example/memcached-operator/test/internal/process"
)

// Options configure a cluster.
type Options struct {
	// Progress receives one line of text for each step.
	Progress io.Writer
	// Logs is the directory for the programs' logs. If it is empty, Stop deletes the logs.
	Logs string
	// ReplaceURL returns the URL that Metacontroller calls instead of the hook's URL, for example the URL of a proxy.
	ReplaceURL func(hookURL string) (string, error)
	// MetacontrollerFlags follow the default flags of the real Metacontroller and override them.
	MetacontrollerFlags []string
	// Audit names the users whose requests the API server writes to AuditLog, one line of JSON per request.
	Audit []string
	// NoKubectl saves the time to build kubectl. Cluster.Kubectl is then empty.
	NoKubectl bool
	// Helm provides Cluster.RunHelm. Building helm takes time.
	Helm bool
	// Controllers replace the CompositeControllers and the hook of this repository, and CRDs, which are files, its CRDs. Metacontroller
	// has all permissions, and AuditLog has its requests.
	Controllers []*unstructured.Unstructured
	CRDs        []string
}

// Cluster is a running control plane with the hook and Metacontroller.
type Cluster struct {
	Client     client.WithWatch
	Config     *rest.Config
	Kubeconfig string // path of a kubeconfig with all permissions
	Kubectl    string // path of the binary
	AuditLog   string // path of the audit log; empty without Options.Audit
	HookOps    string // URL of the hook's health and metrics
	Program    string // path of this repository's binary; set by Install

	Hook           Killable
	Metacontroller Killable

	dir      string
	logs     string
	root     string
	programs map[string]string
	// installedHook is the address of the hook that Install starts.
	installedHook string
	watchdog      *watchdog
	env           *envtest.Environment
	processes     []*process.Process
	// restartAPIServer is a shell command that restarts the API server of an existing cluster.
	restartAPIServer string
}

// Killable is a component of the cluster that a test can kill and start again.
type Killable interface {
	Kill() error
	Start() error
}

// Start builds missing programs and starts the cluster. It returns when Metacontroller runs and all CompositeControllers
// are applied. After an error it stops and removes everything.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	return startWith(ctx, options, func(c *Cluster) error { return c.startAll(ctx, options) })
}

// startWith returns a cluster after start has run. After an error it stops and removes everything.
func startWith(ctx context.Context, options Options, start func(*Cluster) error) (*Cluster, error) {
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
	if err := c.buildPrograms(ctx, options); err != nil {
		return err
	}
	var built *binaries
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		built, err = c.buildBinaries(bothCtx, options.Controllers == nil)
		return err
	})
	both.Go(func() (err error) {
		fmt.Fprintln(options.Progress, "starting etcd and kube-apiserver")
		if options.Controllers != nil {
			return c.startControlPlane(options.CRDs, []string{MetacontrollerUser})
		}
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
	if options.Controllers == nil {
		if err := c.startHook(ctx, built.hook, options.ReplaceURL); err != nil {
			return err
		}
		return c.startMetacontroller(ctx, built, options.MetacontrollerFlags)
	}
	for _, controller := range options.Controllers {
		if err := c.Client.Create(ctx, controller.DeepCopy()); err != nil {
			return fmt.Errorf("create the CompositeController %s: %w", controller.GetName(), err)
		}
	}
	kubeconfig, err := c.User(ctx, MetacontrollerUser, []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}})
	if err != nil {
		return err
	}
	return c.runMetacontroller(built, kubeconfig, options.MetacontrollerFlags)
}

func (c *Cluster) buildPrograms(ctx context.Context, options Options) error {
	if err := printMetacontroller(options.Progress); err != nil {
		return err
	}
	var omit []string
	if options.NoKubectl {
		omit = append(omit, "kubectl")
	}
	if !options.Helm {
		omit = append(omit, "helm")
	}
	programs, err := Build(ctx, omit, options.Progress)
	c.programs, c.Kubectl = programs, programs["kubectl"]
	return err
}

// newCluster creates the directory of a cluster and starts its watchdog.
func newCluster(ctx context.Context, options Options) (*Cluster, error) {
	log.SetLogger(logr.Discard()) // envtest's errors contain all details
	root, err := Repository(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memcached-cluster-")
	if err != nil {
		return nil, err
	}
	watchdog, err := startWatchdog(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c := &Cluster{dir: dir, root: root, watchdog: watchdog, logs: options.Logs}
	if c.logs == "" {
		c.logs = filepath.Join(dir, "logs")
	}
	for _, path := range []string{c.logs, filepath.Join(dir, "bin"), filepath.Join(dir, "etcd"), filepath.Join(dir, "apiserver")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	return c, nil
}

// Stop ends every process in reverse order and removes the directory.
func (c *Cluster) Stop() error {
	var errs []error
	for _, p := range slices.Backward(c.processes) {
		errs = append(errs, p.Stop(10*time.Second))
	}
	if c.env != nil {
		errs = append(errs, c.env.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir), c.watchdog.stop())...)
}

// poll calls done until it succeeds. On timeout it returns the last error.
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
			last = err // ignores the error of a call that the timeout interrupted
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: timeout after %s: %w", what, timeout, last)
		case <-tick.C:
		}
	}
}
