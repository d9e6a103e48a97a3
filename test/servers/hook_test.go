//go:build servers

// Package servers runs a real memcached, MEMCACHED or else that of the PATH, with the command lines of the pods that the hooks return. It has a
// build tag, because the tests fail without memcached.
package servers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/parents"
	hookserver "github.com/example/memcached-operator/webhook/server"
)

// container returns the memcached container in the pods of a spec.
func container(t *testing.T, spec v1alpha1.MemcachedSpec) corev1.Container {
	t.Helper()
	return pod(t, spec).Spec.Containers[0]
}

// pod returns the pod template in the response of the sync hook to a new parent.
func pod(t *testing.T, spec v1alpha1.MemcachedSpec) corev1.PodTemplateSpec {
	t.Helper()
	none := map[string]any{}
	apiVersion, kind := v1alpha1.SchemeGroupVersion.WithKind("Memcached").ToAPIVersionAndKind()
	request, err := json.Marshal(map[string]any{
		"controller": none,
		"parent": v1alpha1.Memcached{
			TypeMeta:   metav1.TypeMeta{APIVersion: apiVersion, Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "default", Generation: 1},
			Spec:       spec,
		},
		"children": map[string]any{
			"Deployment.apps/v1": none, "StatefulSet.apps/v1": none, "Service.v1": none,
			"PodDisruptionBudget.policy/v1": none, "NetworkPolicy.networking.k8s.io/v1": none,
		},
		"related":    map[string]any{"Pod.v1": none},
		"finalizing": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	httpRequest := httptest.NewRequest(http.MethodPost, "/memcached/sync", bytes.NewReader(request))
	httpRequest.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	hookserver.NewHandler(hookserver.Options{Controllers: parents.Controllers(memcached.Config{OperatorImage: "memcached-operator"})}).ServeHTTP(recorder, httpRequest)
	if recorder.Code != http.StatusOK {
		t.Fatalf("the hook returned %d %s", recorder.Code, recorder.Body)
	}
	var response struct {
		Children []appsv1.Deployment `json:"children"` // a StatefulSet has the template in the same field
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &response); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(response.Children, func(child appsv1.Deployment) bool { return len(child.Spec.Template.Spec.Containers) > 0 })
	return response.Children[i].Spec.Template
}

// samples returns the specs of the Memcached samples, by file name.
func samples(t *testing.T) map[string]v1alpha1.MemcachedSpec {
	t.Helper()
	files, err := filepath.Glob("../../manifests/samples/cache_v1alpha1_*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample of a Memcached: %v", err)
	}
	specs := map[string]v1alpha1.MemcachedSpec{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var parent v1alpha1.Memcached
		if err := yaml.UnmarshalStrict(raw, &parent); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		specs[filepath.Base(file)] = parent.Spec
	}
	return specs
}
