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

// Existing is a running cluster, for example of kind, with Metacontroller installed from its Helm chart into the namespace
// metacontroller. Its nodes must reach the URL that Options.ReplaceURL returns, because the hook runs on this machine.
type Existing struct {
	Kubeconfig string
	// RestartAPIServer is a shell command that ends the API server. The kubelet or a similar supervisor starts it again.
	RestartAPIServer string
}

// Connect applies CRDs and CompositeControllers to an existing cluster and starts the hook.
func Connect(ctx context.Context, existing Existing, options Options) (*Cluster, error) {
	if options.ReplaceURL == nil {
		return nil, errors.New("connect to a cluster: Options.ReplaceURL is missing, and nodes cannot reach the hook on a loopback address")
	}
	return startWith(ctx, options, func(c *Cluster) error { return c.connect(ctx, existing, options) })
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
	return c.startHook(ctx, hook, options.ReplaceURL)
}

// statefulSet is the StatefulSet that Metacontroller's Helm chart creates.
type statefulSet struct {
	ctx                 context.Context
	kubectl, kubeconfig string
}

// Kill deletes all pods of Metacontroller.
func (s *statefulSet) Kill() error {
	return errors.Join(s.run("scale", "statefulset", "--all", "--replicas=0"),
		s.run("delete", "pod", "--all", "--force", "--grace-period=0"),
		s.run("wait", "pod", "--all", "--for=delete", "--timeout=1m"))
}

// Start scales Metacontroller to one pod.
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

func (c *Cluster) restartExistingAPIServer(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", c.restartAPIServer).CombinedOutput(); err != nil {
		return fmt.Errorf("restart the API server with %q: %w\n%s", c.restartAPIServer, err, out)
	}
	clientset, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	return poll(ctx, 2*time.Minute, "the API server is ready", func(ctx context.Context) error {
		return clientset.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}
