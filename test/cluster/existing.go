package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Existing is a cluster that runs already with Metacontroller in it, installed from its Helm chart into the namespace
// metacontroller: one of kind, say. Its nodes must reach the front of the hook, which runs on this machine.
type Existing struct {
	Kubeconfig string
	// RestartAPIServer is a shell command that ends the API server, which something else starts again.
	RestartAPIServer string
}

// Connect applies CustomResourceDefinitions and CompositeControllers to an existing cluster and starts the hook.
func Connect(ctx context.Context, existing Existing, options Options) (*Cluster, error) {
	if options.Front == nil {
		return nil, errors.New("connect to a cluster: its nodes cannot reach the hook on a loopback address, so it needs a front")
	}
	return raise(ctx, options, func(c *Cluster) error { return c.connect(ctx, existing, options) })
}

func (c *Cluster) connect(ctx context.Context, existing Existing, options Options) (err error) {
	if c.Kubectl, err = exec.LookPath("kubectl"); err != nil {
		return err
	}
	if c.Kubeconfig, err = filepath.Abs(existing.Kubeconfig); err != nil {
		return err
	}
	if c.Config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return err
	}
	c.Config.QPS = -1
	if c.Client, err = client.NewWithWatch(c.Config, client.Options{}); err != nil {
		return err
	}
	c.restartAPIServer = existing.RestartAPIServer
	c.Metacontroller = &statefulSet{ctx: ctx, kubectl: c.Kubectl, kubeconfig: c.Kubeconfig}
	crds, err := filepath.Glob(filepath.Join(c.root, "crds", "*"))
	if err != nil {
		return err
	}
	if _, err := envtest.InstallCRDs(c.Config, envtest.CRDInstallOptions{Paths: crds, ErrorIfPathMissing: true}); err != nil {
		return err
	}
	hook, err := c.buildHook(ctx)
	if err != nil {
		return err
	}
	return c.startHook(ctx, hook, options.Front)
}

// statefulSet is Metacontroller as its Helm chart runs it.
type statefulSet struct {
	ctx                 context.Context
	kubectl, kubeconfig string
}

// Kill leaves no pod of Metacontroller.
func (s *statefulSet) Kill() error {
	return errors.Join(s.run("scale", "statefulset", "--all", "--replicas=0"),
		s.run("delete", "pod", "--all", "--force", "--grace-period=0"),
		s.run("wait", "pod", "--all", "--for=delete", "--timeout=1m"))
}

// Start has one pod of Metacontroller again.
func (s *statefulSet) Start() error {
	return s.run("scale", "statefulset", "--all", "--replicas=1")
}

func (s *statefulSet) run(args ...string) error {
	args = append([]string{"--kubeconfig", s.kubeconfig, "--namespace", "metacontroller"}, args...)
	if out, err := exec.CommandContext(s.ctx, s.kubectl, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %v: %w\n%s", args, err, out)
	}
	return nil
}

func (c *Cluster) restartForeignAPIServer(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", c.restartAPIServer).CombinedOutput(); err != nil {
		return fmt.Errorf("restart the API server by %q: %w\n%s", c.restartAPIServer, err, out)
	}
	clientset, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	return poll(ctx, 2*time.Minute, "the API server is ready again", func(ctx context.Context) error {
		return clientset.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}
