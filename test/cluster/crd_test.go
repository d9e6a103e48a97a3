package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// refusal is a test case of an invalid parent. test/manifests checks the same cases without a cluster.
type refusal struct {
	Why     string          `json:"why"`
	Parent  json.RawMessage `json:"parent"`
	Was     json.RawMessage `json:"was"` // the stored parent, if the case is an update
	Refused []string        `json:"refused"`
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(shared.root, "test", "manifests", "testdata", "refused", "*.yaml"))
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no test cases in testdata/refused")
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
					t.Fatalf("got error %v, want Invalid", err)
				}
				for _, problem := range c.Refused {
					if field, sentence := split(problem); !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), sentence) {
						t.Errorf("the error does not contain %q and %q: %v", field, sentence, err)
					}
				}
			})
		}
	}
}

// submit creates the parent with a dry run, or updates Was to it.
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

// split splits a problem into field and sentence: "field: type: sentence", or "type: sentence" for the whole object. The API
// server adds the value between type and sentence.
func split(problem string) (field, sentence string) {
	for _, kind := range []string{"Invalid value: ", "Unsupported value: ", "Too long: ", "Too many: ", "Required value", "Forbidden: "} {
		if before, after, found := strings.Cut(problem, kind); found {
			return strings.TrimSuffix(before, ": "), after
		}
	}
	return "", problem
}

func TestRestrictedNamespaceAdmitsThePods(t *testing.T) {
	because(t, "many clusters enforce the restricted Pod Security Standard: they reject pods that violate it")
	t.Parallel()
	namespace := newNamespace(t)
	insecure := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "insecure"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "memcached"}}},
	}
	// This ensures that the cluster enforces the standard.
	if err := shared.Client.Create(t.Context(), insecure, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Fatalf("a pod without a security context is not forbidden: %v", err)
	}
	newMemcached(t, namespace, "cache", 2)
}
