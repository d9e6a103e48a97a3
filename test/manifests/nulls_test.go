package manifests

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestFieldsWithoutValue: "tls:" in YAML is null. If the API server dropped it, the cache would serve without TLS, and nobody would know.
func TestFieldsWithoutValue(t *testing.T) {
	fields := turnedOn(reflect.TypeFor[v1alpha1.MemcachedSpec](), "spec")
	if len(fields) != 5 {
		t.Errorf("%v turn something on, want proxy, tls, auth, flash and metrics.serviceMonitor: is the new one nullable?", fields)
	}
	known := kinds(t)
	for _, field := range fields {
		object := map[string]any{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": map[string]any{"name": "cache", "namespace": "shop"}}
		for _, path := range []string{"spec.size", "spec.metrics.enabled", field} {
			value := map[string]any{"spec.size": int64(1), "spec.metrics.enabled": true}[path]
			if err := unstructured.SetNestedField(object, value, strings.Split(path, ".")...); err != nil {
				t.Fatal(err)
			}
		}
		stored, unknown, problems := kindOf(t, known, object).admit(t, object, nil)
		expectNone(t, "unknown field", unknown)
		expectNone(t, "problem", problems)
		body, err := json.Marshal(map[string]any{"parent": stored})
		if err != nil {
			t.Fatal(err)
		}
		controller := memcached.Controller(memcached.Config{})
		response, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{})
		if want := "no value for " + field + ":"; err != nil || !strings.Contains(string(response.Body), want) {
			t.Errorf("the hook got %v, and responded %s, %v, want a condition with %q", stored["spec"], response.Body, err, want)
		}
	}
}

// turnedOn returns the paths of the objects in a spec that turn something on, whose Go type is a pointer to a type of this API.
func turnedOn(in reflect.Type, path string) (paths []string) {
	for field := range in.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := strings.TrimSuffix(path+"."+name, ".")
		switch {
		case field.Type.Kind() == reflect.Pointer && field.Type.Elem().Kind() == reflect.Struct && field.Type.Elem().PkgPath() == in.PkgPath():
			paths = append(paths, at)
		case field.Type.Kind() == reflect.Struct && field.Type.PkgPath() == in.PkgPath():
			paths = append(paths, turnedOn(field.Type, at)...)
		}
	}
	return paths
}
