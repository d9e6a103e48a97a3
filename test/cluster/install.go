package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/internal/process"
)

// namespace is the namespace of the hook in every kustomization.
const namespace = "memcached-operator"

// Install starts a cluster as Start does, but apply installs this repository as a user does. The cluster also has the CRDs
// of cert-manager and the Prometheus operator.
//
// No container runs here, so the hook is a process on loopback with the arguments of the applied Deployment and the files
// of its mounted Secrets. apply also creates these Secrets, as cert-manager and an administrator would. Metacontroller uses
// its ServiceAccount and calls the hook at the address of the process.
func Install(ctx context.Context, apply func(context.Context, *Cluster) error, options Options) (*Cluster, error) {
	return startWith(ctx, options, func(c *Cluster) error { return c.install(ctx, apply, options) })
}

// Kustomize returns a function for Install that applies the kustomization in dir with kubectl.
func Kustomize(dir string) func(context.Context, *Cluster) error {
	return func(ctx context.Context, c *Cluster) error {
		if out, err := c.RunKubectl(ctx, "apply", "--kustomize", dir); err != nil {
			return fmt.Errorf("apply %s: %w\n%s", dir, err, out)
		}
		return nil
	}
}

func (c *Cluster) install(ctx context.Context, apply func(context.Context, *Cluster) error, options Options) error {
	if err := c.buildPrograms(ctx, options); err != nil {
		return err
	}
	built, err := c.buildBinaries(ctx, true)
	if err != nil {
		return err
	}
	c.Program = built.hook
	crdDirs, err := externalCRDs(ctx, c.root)
	if err != nil {
		return err
	}
	fmt.Fprintln(options.Progress, "starting the control plane and the installation")
	if err := c.startControlPlane(crdDirs, options.Audit); err != nil {
		return err
	}
	if err := c.startNodes(ctx); err != nil {
		return err
	}
	if err := apply(ctx, c); err != nil {
		return err
	}
	if c.installedHook, err = c.startInstalledHook(ctx, built.hook); err != nil {
		return err
	}
	if err := c.RedirectHooks(ctx); err != nil {
		return err
	}
	return c.startMetacontroller(ctx, built, options.MetacontrollerFlags)
}

// RunKubectl runs kubectl and returns what it prints.
func (c *Cluster) RunKubectl(ctx context.Context, args ...string) (string, error) {
	return c.runClient(ctx, c.Kubectl, args)
}

// RunHelm runs helm and returns what it prints.
func (c *Cluster) RunHelm(ctx context.Context, args ...string) (string, error) {
	return c.runClient(ctx, c.programs["helm"], args)
}

func (c *Cluster) runClient(ctx context.Context, program string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig)
	// A test that times out must not leave a kubectl wait behind that polls a stopped API server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// externalCRDs returns the directories with the CRDs of cert-manager and the Prometheus operator, from their Go modules.
func externalCRDs(ctx context.Context, root string) ([]string, error) {
	var dirs []string
	for module, dir := range map[string]string{
		"github.com/cert-manager/cert-manager":               "deploy/crds",
		"github.com/prometheus-operator/prometheus-operator": "example/prometheus-operator-crd",
	} {
		list := goCommand(ctx, filepath.Join(root, "test", "cluster", "crds"), "mod", "download", module)
		if out, err := list.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("download %s: %w\n%s", module, err, out)
		}
		list = goCommand(ctx, filepath.Join(root, "test", "cluster", "crds"), "list", "-m", "-f", "{{.Dir}}", module)
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", module, err)
		}
		dirs = append(dirs, filepath.Join(strings.TrimSpace(string(out)), filepath.FromSlash(dir)))
	}
	return dirs, nil
}

// startInstalledHook starts the hook with the arguments of its Deployment and returns its address.
func (c *Cluster) startInstalledHook(ctx context.Context, program string) (address string, err error) {
	var deployment appsv1.Deployment
	if err := c.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: namespace}, &deployment); err != nil {
		return "", err
	}
	spec := deployment.Spec.Template.Spec
	if address, err = process.FreeAddress(); err != nil {
		return "", err
	}
	ops, err := process.FreeAddress()
	if err != nil {
		return "", err
	}
	c.HookOps = "http://" + ops
	replace := []string{"--address=:8080", "--address=" + address, "--ops-address=:8081", "--ops-address=" + ops}
	for _, mount := range spec.Containers[0].VolumeMounts {
		dir, err := c.writeSecret(ctx, spec.Volumes, mount.Name)
		if err != nil {
			return "", err
		}
		replace = append(replace, mount.MountPath+"/", dir+"/")
	}
	args := make([]string, 0, len(spec.Containers[0].Args))
	for _, arg := range spec.Containers[0].Args {
		args = append(args, strings.NewReplacer(replace...).Replace(arg))
	}
	if c.Hook, err = c.Run(program, args...); err != nil {
		return "", err
	}
	return address, poll(ctx, 30*time.Second, "the hook is ready", func(ctx context.Context) error {
		return errors.Join(c.Check(), checkOK(ctx, c.HookOps+"/readyz"))
	})
}

// writeSecret writes the Secret of a volume into a directory, as a kubelet does.
func (c *Cluster) writeSecret(ctx context.Context, volumes []corev1.Volume, name string) (string, error) {
	dir := filepath.Join(c.dir, "secrets", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for _, volume := range volumes {
		if volume.Name != name || volume.Secret == nil {
			continue
		}
		var secret corev1.Secret
		if err := c.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: volume.Secret.SecretName}, &secret); err != nil {
			return "", err
		}
		for key, value := range secret.Data {
			if err := os.WriteFile(filepath.Join(dir, key), value, 0o600); err != nil {
				return "", err
			}
		}
		return dir, nil
	}
	return "", fmt.Errorf("volume %s of the hook is not a Secret volume", name)
}

// RedirectHooks replaces the Service of every hook by the address of the process that Install started, also in the
// endpointConfigs with the credentials.
func (c *Cluster) RedirectHooks(ctx context.Context) error {
	address := c.installedHook
	var controllers unstructured.UnstructuredList
	controllers.SetGroupVersionKind(schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeControllerList"})
	if err := c.Client.List(ctx, &controllers); err != nil {
		return err
	}
	for _, controller := range controllers.Items {
		scheme := "http://"
		endpoints, _, err := unstructured.NestedSlice(controller.Object, "spec", "endpointConfigs")
		if err != nil {
			return err
		}
		for _, endpoint := range endpoints {
			scheme = "https://"
			endpoint.(map[string]any)["host"] = address
		}
		if len(endpoints) > 0 {
			if err := unstructured.SetNestedSlice(controller.Object, endpoints, "spec", "endpointConfigs"); err != nil {
				return err
			}
		}
		if err := setHookURL(&controller, scheme+address); err != nil {
			return err
		}
		if err := c.Client.Update(ctx, &controller); err != nil {
			return err
		}
	}
	return nil
}
