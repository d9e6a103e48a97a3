package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/internal/process"
)

// operatorImage returns the image of manifests/base. An existing cluster with real kubelets must have this image.
func (c *Cluster) operatorImage() (string, error) {
	content, err := os.ReadFile(filepath.Join(c.root, "manifests", "base", "kustomization.yaml"))
	if err != nil {
		return "", err
	}
	var base struct {
		Images []struct{ Name, NewTag string }
	}
	if err := yaml.Unmarshal(content, &base); err != nil {
		return "", fmt.Errorf("read the image of manifests/base: %w", err)
	}
	if len(base.Images) != 1 {
		return "", fmt.Errorf("manifests/base has %d images, not 1", len(base.Images))
	}
	return base.Images[0].Name + ":" + base.Images[0].NewTag, nil
}

// binaries are the paths of the hook and of Metacontroller.
type binaries struct {
	hook           string
	metacontroller string
	isReal         bool
}

// buildBinaries builds the hook, if it is needed, and, if the real Metacontroller is not available, its stand-in.
func (c *Cluster) buildBinaries(ctx context.Context, withHook bool) (b *binaries, err error) {
	b = &binaries{}
	if withHook {
		if b.hook, err = c.buildHook(ctx); err != nil {
			return nil, err
		}
	}
	program, err := findMetacontroller()
	if err != nil {
		return nil, err
	}
	if program != "" {
		b.metacontroller, b.isReal = program, true
		return b, nil
	}
	b.metacontroller = filepath.Join(c.dir, "metacontroller")
	standIn := goCommand(ctx, filepath.Join(c.root, "test", "cluster"), "build", "-o", b.metacontroller, "./metacontroller")
	if out, err := standIn.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the stand-in for Metacontroller: %w\n%s", err, out)
	}
	return b, nil
}

func (c *Cluster) buildHook(ctx context.Context) (string, error) {
	path := filepath.Join(c.dir, "memcached-operator")
	if out, err := goCommand(ctx, c.root, "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the hook: %w\n%s", err, out)
	}
	return path, nil
}

// printMetacontroller prints which Metacontroller the cluster runs: the real one or the stand-in.
func printMetacontroller(progress io.Writer) error {
	program, err := findMetacontroller()
	if err != nil {
		return err
	}
	if program == "" {
		program = "the stand-in of test/cluster/metacontroller (set METACONTROLLER to the path of the real one)"
	}
	fmt.Fprintln(progress, "Metacontroller:", program)
	return nil
}

// findMetacontroller returns the path of the real Metacontroller, or "" if there is none.
func findMetacontroller() (string, error) {
	if path := os.Getenv("METACONTROLLER"); path != "" {
		absolute, err := filepath.Abs(path)
		if err != nil || !isExecutable(absolute) {
			return "", fmt.Errorf("METACONTROLLER is %q, which is not an executable file", path)
		}
		return absolute, nil
	}
	path, err := exec.LookPath("metacontroller")
	if errors.Is(err, exec.ErrNotFound) {
		return "", nil
	}
	return path, err
}

// startHook starts the hook and applies the CompositeControllers with its URL.
func (c *Cluster) startHook(ctx context.Context, program string, replaceURL func(string) (string, error)) error {
	address, err := process.FreeAddress()
	if err != nil {
		return err
	}
	ops, err := process.FreeAddress()
	if err != nil {
		return err
	}
	image, err := c.operatorImage()
	if err != nil {
		return err
	}
	if c.Hook, err = c.Run(program, "serve", "--address", address, "--ops-address", ops, "--operator-image", image); err != nil {
		return err
	}
	c.HookOps = "http://" + ops
	if err := poll(ctx, 30*time.Second, "the hook is ready", func(ctx context.Context) error {
		return errors.Join(c.Check(), checkOK(ctx, c.HookOps+"/readyz"))
	}); err != nil {
		return err
	}
	url := "http://" + address
	if replaceURL != nil {
		if url, err = replaceURL(url); err != nil {
			return err
		}
	}
	return c.applyCompositeControllers(ctx, url)
}

// startMetacontroller starts Metacontroller. The real one has only the documented RBAC permissions, and gets the additional flags.
func (c *Cluster) startMetacontroller(ctx context.Context, built *binaries, more []string) (err error) {
	kubeconfig := c.Kubeconfig
	if built.isReal {
		if kubeconfig, err = c.restrictedKubeconfig(ctx); err != nil {
			return err
		}
	}
	return c.runMetacontroller(built, kubeconfig, more)
}

func (c *Cluster) runMetacontroller(built *binaries, kubeconfig string, more []string) (err error) {
	var flags []string
	if built.isReal {
		// The defaults allow 5 requests per second, discover resources every 30 s, and bind two fixed ports on every interface.
		flags = []string{"--kubeconfig=" + kubeconfig, "--client-go-qps=-1", "--discovery-interval=1s",
			"--metrics-address=0", "--health-probe-bind-address=0"}
		flags = append(flags, more...)
	}
	c.Metacontroller, err = c.runAs(kubeconfig, built.metacontroller, flags)
	return err
}

// checkOK returns an error unless GET url returns 200.
func checkOK(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return nil
}

// applyCompositeControllers applies every CompositeController of the repository with the hooks at url, and Metacontroller's RBAC
// permissions for each. The Service that the manifests name has no running pods here.
func (c *Cluster) applyCompositeControllers(ctx context.Context, url string) error {
	files, err := filepath.Glob(filepath.Join(c.root, "manifests", "controllers", "*", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			return err
		}
		for _, o := range objects {
			switch o.GetKind() {
			case "Kustomization":
				continue
			case "CompositeController":
				if err := setHookURL(o, url); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
			if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test-cluster")); err != nil {
				return fmt.Errorf("apply %s: %w", file, err)
			}
		}
	}
	return nil
}

// setHookURL replaces the Service of each hook by url.
func setHookURL(compositeController *unstructured.Unstructured, url string) error {
	hooks, _, err := unstructured.NestedMap(compositeController.Object, "spec", "hooks")
	if err != nil {
		return err
	}
	for name := range hooks {
		webhook, _, err := unstructured.NestedMap(hooks, name, "webhook")
		if err != nil {
			return err
		}
		path, _ := webhook["path"].(string)
		if path == "" {
			return fmt.Errorf("hook %s has no path", name)
		}
		webhook["url"] = url + path
		delete(webhook, "service")
		delete(webhook, "path")
		if err := unstructured.SetNestedMap(hooks, webhook, name, "webhook"); err != nil {
			return err
		}
	}
	return unstructured.SetNestedMap(compositeController.Object, hooks, "spec", "hooks")
}

// readObjects reads all documents of a YAML file.
func readObjects(file string) ([]*unstructured.Unstructured, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var objects []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}
