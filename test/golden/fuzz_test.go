package golden

import (
	"bytes"
	"net/http"
	"testing"
)

// FuzzSync sends arbitrary bytes to the sync hook of Memcached. Each 200 must have the workload of the parent as its first
// child, because Metacontroller would delete the workload otherwise.
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
			t.Fatalf("got status code %d with %s", recorder.Code, recorder.Body)
		}
		response := parse(t, recorder.Body.Bytes())
		request := parse(t, body)
		parent := request["parent"].(map[string]any)
		children := response["children"].([]any)
		if len(children) == 0 {
			t.Fatal("a 200 without children deletes all children")
		}
		spec := parent["spec"].(map[string]any)
		kind, found := spec["workload"].(string)
		if !found {
			kind = "Deployment"
		}
		workload := children[0].(map[string]any)
		if workload["kind"] != kind || workload["metadata"].(map[string]any)["name"] != parent["metadata"].(map[string]any)["name"] {
			t.Fatalf("the first child is %v", workload["metadata"])
		}
		if spec["scaling"] == nil && workload["spec"].(map[string]any)["replicas"] != spec["size"] {
			t.Fatalf("spec %v became the workload %v", spec, workload["spec"])
		}
	})
}

// FuzzCustomize sends arbitrary bytes to the customize hook. A wrong rule would select the pods of another parent.
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
			t.Fatalf("got status code %d with %s", recorder.Code, recorder.Body)
		case !bytes.Contains(recorder.Body.Bytes(), []byte(`"labelSelector":{"matchLabels":`)):
			t.Fatalf("a rule without labels selects every pod: %s", recorder.Body)
		}
	})
}
