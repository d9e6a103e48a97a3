package memcached

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/sample"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestServiceKeepsForeignAnnotations checks that the annotations that others set stay. Metacontroller removes a map that is
// no longer desired.
func TestServiceKeepsForeignAnnotations(t *testing.T) {
	memcached := sample.New(1)
	unannotated := observedAs[observed.Child](children.Service(memcached))
	if _, typed := children.KeepForeignAnnotations(children.Service(memcached), &unannotated).(*corev1.Service); !typed {
		t.Error("a Service that never had annotations has an empty map of annotations")
	}
	memcached.Spec.Service.Annotations = map[string]string{"a": "b"}
	existing := observedAs[observed.Child](children.Service(memcached))
	memcached.Spec.Service.Annotations = nil
	for range 3 {
		child := children.KeepForeignAnnotations(children.Service(memcached), &existing)
		text, err := json.Marshal(child)
		if err != nil || !strings.Contains(string(text), `"annotations":{}`) {
			t.Fatalf("the Service has no empty map of annotations: %s, %v", text, err)
		}
		existing = observedAs[observed.Child](child)
	}
}
