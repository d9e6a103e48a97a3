package children

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestServiceKeepsForeignAnnotations checks that the annotations that others set stay. Metacontroller removes a map that is
// no longer desired.
func TestServiceKeepsForeignAnnotations(t *testing.T) {
	memcached := sample.New(1)
	unannotated := requests.Applied[observed.Child](service(&Input{Memcached: memcached}))
	if _, typed := service(&Input{Memcached: memcached, Service: &unannotated}).(*corev1.Service); !typed {
		t.Error("a Service that never had annotations has an empty map of annotations")
	}
	memcached.Spec.Service.Annotations = map[string]string{"a": "b"}
	existing := requests.Applied[observed.Child](service(&Input{Memcached: memcached}))
	memcached.Spec.Service.Annotations = nil
	for range 3 {
		child := service(&Input{Memcached: memcached, Service: &existing})
		text, err := json.Marshal(child)
		if err != nil || !strings.Contains(string(text), `"annotations":{}`) {
			t.Fatalf("the Service has no empty map of annotations: %s, %v", text, err)
		}
		existing = requests.Applied[observed.Child](child)
	}
}
