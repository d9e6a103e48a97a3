package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// refusal is a case of the table that test/manifests holds the schemas against, without a cluster.
type refusal struct {
	Why     string          `json:"why"`
	Parent  json.RawMessage `json:"parent"`
	Was     json.RawMessage `json:"was"` // where the case is an update
	Refused []string        `json:"refused"`
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(shared.root, "test", "manifests", "testdata", "refused", "*.yaml"))
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there is no table of what is refused")
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		var cases []refusal
		must(t, yaml.Unmarshal(content, &cases))
		namespace := newNamespace(t)
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".yaml"), i), func(t *testing.T) {
				because(t, c.Why)
				err := c.submit(t, namespace)
				if !apierrors.IsInvalid(err) {
					t.Fatalf("the API server should refuse it as invalid, and says: %v", err)
				}
				for _, problem := range c.Refused {
					if field, sentence := split(problem); !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), sentence) {
						t.Errorf("the refusal should tell of %q: %q, and says: %v", field, sentence, err)
					}
				}
			})
		}
	}
}

// submit tries to create the parent, or to update what it was to it.
func (c refusal) submit(t *testing.T, namespace string) error {
	t.Helper()
	read := func(raw json.RawMessage) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		must(t, o.UnmarshalJSON(raw))
		o.SetNamespace(namespace)
		return o
	}
	parent := read(c.Parent)
	if c.Was == nil {
		return shared.Client.Create(t.Context(), parent, client.DryRunAll)
	}
	was := read(c.Was)
	must(t, shared.Client.Create(t.Context(), was))
	defer func() { must(t, shared.Client.Delete(t.Context(), was)) }()
	parent.SetResourceVersion(was.GetResourceVersion())
	return shared.Client.Update(t.Context(), parent, client.DryRunAll)
}

// split takes a problem apart: "field: type: sentence", or "type: sentence" for the whole object. Between type and sentence
// the API server also tells the value.
func split(problem string) (field, sentence string) {
	for _, kind := range []string{"Invalid value: ", "Unsupported value: ", "Too long: ", "Too many: ", "Required value", "Forbidden: "} {
		if before, after, found := strings.Cut(problem, kind); found {
			return strings.TrimSuffix(before, ": "), after
		}
	}
	return "", problem
}

func TestFieldsAreExplained(t *testing.T) {
	because(t, "kubectl explain is the manual that everyone has at hand")
	t.Parallel()
	// kubectl breaks lines as it likes.
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if out := oneLine(kubectl(t, "explain", "memcached.spec.size")); !strings.Contains(out, "size is the number of memcached pods") {
		t.Errorf("kubectl explain memcached.spec.size: %s", out)
	}
	for _, crd := range crds(t) {
		for _, version := range crd.Spec.Versions {
			out := oneLine(kubectl(t, "explain", crd.Spec.Names.Singular+".spec", "--api-version", crd.Spec.Group+"/"+version.Name))
			for name, field := range version.Schema.OpenAPIV3Schema.Properties["spec"].Properties {
				if text := oneLine(field.Description); text == "" || !strings.Contains(out, text) {
					t.Errorf("kubectl explain %s.spec should tell of %s: %q", crd.Spec.Names.Singular, name, text)
				}
			}
		}
	}
}

func TestSamplesAreValid(t *testing.T) {
	because(t, "a sample is the first thing that a newcomer applies")
	t.Parallel()
	files, err := shared.SampleFiles()
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there are none")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out := kubectl(t, "apply", "--dry-run=server", "--validate=strict", "--filename", file)
			if !strings.Contains(out, "(server dry run)") || strings.Contains(out, "Warning") {
				t.Error(out)
			}
		})
	}
}

func TestRestrictedNamespaceAdmitsThePods(t *testing.T) {
	because(t, "the restricted Pod Security Standard is what careful clusters enforce: a pod that breaks it never starts")
	t.Parallel()
	namespace := newNamespace(t)
	careless := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "careless"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "memcached"}}},
	}
	// Without this the test would pass in a cluster that enforces nothing.
	if err := shared.Client.Create(t.Context(), careless, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Fatalf("a pod without a security context should be forbidden: %v", err)
	}
	newMemcached(t, namespace, "cache", 2)
}

// crds are the CustomResourceDefinitions of the repository.
func crds(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(shared.root, "crds", "*"))
	must(t, err)
	options := envtest.CRDInstallOptions{Paths: folders, ErrorIfPathMissing: true}
	must(t, envtest.ReadCRDFiles(&options))
	if len(options.CRDs) == 0 {
		t.Fatal("there are no CustomResourceDefinitions")
	}
	return options.CRDs
}
