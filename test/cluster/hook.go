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
)

// reloaderImage is as in manifests/base. Where pods really run, the cluster has an image of that name.
const reloaderImage = "ghcr.io/example/memcached-operator:v0.1.0"

// builtHere are the programs that come from this repository, built anew for each cluster.
type builtHere struct {
	hook           string
	metacontroller string
	isReal         bool
}

// buildHere builds the hook, and the stand-in unless the real Metacontroller is at hand.
func (c *Cluster) buildHere(ctx context.Context) (*builtHere, error) {
	hook, err := c.buildHook(ctx)
	if err != nil {
		return nil, err
	}
	b := &builtHere{hook: hook}
	program, err := findMetacontroller()
	if err != nil {
		return nil, err
	}
	if program != "" {
		b.metacontroller, b.isReal = program, true
		return b, nil
	}
	b.metacontroller = filepath.Join(c.folder, "metacontroller")
	standIn := goCommand(ctx, filepath.Join(c.root, "test", "cluster"), "build", "-o", b.metacontroller, "./metacontroller")
	if out, err := standIn.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the stand-in for Metacontroller: %w\n%s", err, out)
	}
	return b, nil
}

func (c *Cluster) buildHook(ctx context.Context) (string, error) {
	path := filepath.Join(c.folder, "memcached-operator")
	if out, err := goCommand(ctx, c.root, "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the hook: %w\n%s", err, out)
	}
	return path, nil
}

// DescribeMetacontroller says which Metacontroller a cluster runs.
func DescribeMetacontroller() (string, error) {
	program, err := findMetacontroller()
	if err != nil || program != "" {
		return "Metacontroller: the real one, " + program, err
	}
	return "Metacontroller: the stand-in of test/cluster/metacontroller (METACONTROLLER can name the real one)", nil
}

// findMetacontroller returns the real Metacontroller's program, or nothing where there is none.
func findMetacontroller() (string, error) {
	if path := os.Getenv("METACONTROLLER"); path != "" {
		absolute, err := filepath.Abs(path)
		if err != nil || !isExecutable(absolute) {
			return "", fmt.Errorf("METACONTROLLER names %q, which is not a program", path)
		}
		return absolute, nil
	}
	path, err := exec.LookPath("metacontroller")
	if errors.Is(err, exec.ErrNotFound) {
		return "", nil
	}
	return path, err
}

// startHook starts the hook, and tells Metacontroller where it is.
func (c *Cluster) startHook(ctx context.Context, program string, front func(string) (string, error)) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	ops, err := freeAddress()
	if err != nil {
		return err
	}
	if c.Hook, err = c.Run(program, "serve", "-address", address, "-ops-address", ops, "-reloader-image", reloaderImage); err != nil {
		return err
	}
	c.HookOps = "http://" + ops
	if err := poll(ctx, 10*time.Second, "the hook is ready", func(ctx context.Context) error {
		return errors.Join(c.Check(), answers(ctx, c.HookOps+"/readyz"))
	}); err != nil {
		return err
	}
	url := "http://" + address
	if front != nil {
		if url, err = front(url); err != nil {
			return err
		}
	}
	return c.applyCompositeControllers(ctx, url)
}

// startMetacontroller starts Metacontroller as a user of that name, with more flags for the real one.
func (c *Cluster) startMetacontroller(ctx context.Context, built *builtHere, userName string, more []string) (err error) {
	var flags []string
	if built.isReal {
		kubeconfig, err := c.restrictedKubeconfig(ctx, userName)
		if err != nil {
			return err
		}
		// The defaults allow five requests a second and a look for new resources every half minute, and bind two fixed ports
		// on every interface.
		flags = []string{"--kubeconfig=" + kubeconfig, "--client-go-qps=500", "--client-go-burst=1000", "--discovery-interval=1s",
			"--metrics-address=0", "--health-probe-bind-address=0"}
		flags = append(flags, more...)
	}
	c.Metacontroller, err = c.Run(built.metacontroller, flags...)
	return err
}

func answers(ctx context.Context, url string) error {
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

// applyCompositeControllers applies every CompositeController of the repository, with its hooks at url instead of at the
// Service that they name: there are no pods that answer here.
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
			if o.GetKind() != "CompositeController" {
				continue
			}
			if err := callAt(o, url); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test-cluster")); err != nil {
				return fmt.Errorf("apply %s: %w", file, err)
			}
		}
	}
	return nil
}

// callAt replaces the Service of each hook by the url.
func callAt(compositeController *unstructured.Unstructured, url string) error {
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
			return fmt.Errorf("the hook %s names no path", name)
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
