package test

import (
	"bytes"
	"net/http"
	"testing"
)

// FuzzSync: whatever bytes arrive, there is no answer but to a whole observation, and then it has the one child that
// the parent is for. Anything else would delete it.
func FuzzSync(f *testing.F) {
	for _, seed := range []string{
		`{"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","namespace":"b"},"spec":{"size":1}},"children":{"Deployment.apps/v1":{},"StatefulSet.apps/v1":{},"Service.v1":{},"PodDisruptionBudget.policy/v1":{},"NetworkPolicy.networking.k8s.io/v1":{}},"related":{"Pod.v1":{}}}`,
		`{"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a"},"spec":{}},"children":{"Deployment.apps/v1":{"a":{"metadata":{"name":"a"},"spec":{"replicas":1}}}},"related":{"Pod.v1":null}}`,
		`{"children":{},"related":{},"finalizing":true}`, `{}`, `null`, `[]`, `{"parent":null}`,
	} {
		f.Add([]byte(seed))
	}
	handler := newHandler()
	f.Fuzz(func(t *testing.T, body []byte) {
		recorder := post(handler, "/memcached/sync", body)
		switch {
		case recorder.Code >= 400 && recorder.Code < 500:
			return
		case recorder.Code != http.StatusOK:
			t.Fatalf("answered %d %s", recorder.Code, recorder.Body)
		}
		response := parse(t, recorder.Body.Bytes())
		request := parse(t, body)
		parent := request["parent"].(map[string]any)
		children := response["children"].([]any)
		if len(children) == 0 {
			t.Fatal("a 200 without children deletes them all")
		}
		spec := parent["spec"].(map[string]any)
		kind, asked := spec["workload"].(string)
		if !asked {
			kind = "Deployment"
		}
		workload := children[0].(map[string]any)
		if workload["kind"] != kind || workload["metadata"].(map[string]any)["name"] != parent["metadata"].(map[string]any)["name"] {
			t.Fatalf("the first child is %v", workload["metadata"])
		}
		if spec["scaling"] == nil && workload["spec"].(map[string]any)["replicas"] != spec["size"] {
			t.Fatalf("spec.size %v became %v replicas", spec, workload["spec"])
		}
	})
}

// FuzzCustomize: a wrong rule shows a parent the pods of another.
func FuzzCustomize(f *testing.F) {
	f.Add([]byte(`{"controller":{"spec":{"hooks":{"customize":{"version":"v2"}}}},"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","namespace":"b"}}}`))
	f.Add([]byte(`{"controller":{},"parent":null}`))
	handler := newHandler()
	f.Fuzz(func(t *testing.T, body []byte) {
		recorder := post(handler, "/memcached/customize", body)
		switch {
		case recorder.Code >= 400 && recorder.Code < 500:
			return
		case recorder.Code != http.StatusOK:
			t.Fatalf("answered %d %s", recorder.Code, recorder.Body)
		case !bytes.Contains(recorder.Body.Bytes(), []byte(`"labelSelector":{"matchLabels":`)):
			t.Fatalf("a rule without labels selects every pod: %s", recorder.Body)
		}
	})
}
