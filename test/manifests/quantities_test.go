package manifests

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestQuantityMessages checks that a text that is not a quantity is refused with one sentence, and not with the regular
// expression of a quantity. The hook cannot decode such a text.
func TestQuantityMessages(t *testing.T) {
	gvk := v1alpha1.SchemeGroupVersion.WithKind("Memcached")
	k := kinds(t)[gvk]
	for _, path := range []string{"cache.memory", "cache.maxItemSize", "flash.size", "flash.averageItemSize", "flash.minItemSize", "flash.writeBuffer", "flash.pageSize"} {
		parent := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(1), "flash": map[string]any{"size": "10Gi"}}}}
		parent.SetGroupVersionKind(gvk)
		parent.SetName("cache")
		if err := unstructured.SetNestedField(parent.Object, "64 MiB", append([]string{"spec"}, strings.Split(path, ".")...)...); err != nil {
			t.Fatal(err)
		}
		_, _, problems := k.admit(t, parent.Object, nil)
		if len(problems) != 1 || !strings.HasPrefix(problems[0], "spec."+path+": Invalid value: must be a quantity ") {
			t.Errorf("%s of 64 MiB has the messages %q, want one sentence", path, problems)
		}
	}
}
