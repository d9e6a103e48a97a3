package golden

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
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
	for phase, seed := range resizing() {
		if body := mustPost(f, handler, "/memcached/sync", []byte(seed)); !bytes.Contains(body, []byte(`"phase":"`+phase+`"`)) {
			f.Fatalf("a seed is not in the phase %s: %s", phase, body)
		}
		f.Add([]byte(seed))
	}
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
		workload := childNamed(children, kind+" "+parent["metadata"].(map[string]any)["name"].(string))
		if spec["proxy"] != nil { // whose rollouts come before and after a change of the servers
			wantProxies(t, request, children)
			return
		}
		if workload == nil {
			t.Fatalf("the response has no workload: %v", check.NamesOf(response))
		}
		if replicas := workload["spec"].(map[string]any)["replicas"]; spec["scaling"] == nil && replicas != spec["size"] {
			t.Fatalf("spec %v became the workload %v", spec, workload["spec"])
		}
	})
}

// resizing returns a request in each phase of a change of size with proxies.
func resizing() map[string]string {
	const request = `{"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","namespace":"b"},
		"spec":{"size":%d,"workload":"StatefulSet","proxy":{"replicas":1}},
		"status":{"proxy":{"servers":"0-3","lastChangeTime":"2026-11-21T06:00:00Z","move":{"for":"Resize","from":3,"to":4,"phase":"WarmingUp","until":"2026-11-21T07:05:00Z"}}}},
		"children":{"Deployment.apps/v1":{"a-proxy":{"metadata":{"name":"a-proxy","namespace":"b"},"spec":{"replicas":1,"template":{"metadata":{"labels":{"memcached-operator.example.com/proxy-servers":"%[3]s"}}}},
			"status":{"replicas":1,"updatedReplicas":1,"availableReplicas":1}}},
			"StatefulSet.apps/v1":{"a":{"metadata":{"name":"a","namespace":"b"},"spec":{"replicas":%[2]d}}},
			"Service.v1":{},"PodDisruptionBudget.policy/v1":{},"NetworkPolicy.networking.k8s.io/v1":{}},"related":{"Pod.v1":{}}}`
	return map[string]string{
		"AddingServers":   fmt.Sprintf(request, 4, 3, "0-2_0-3_announcing"),
		"Cleaning":        fmt.Sprintf(request, 3, 4, "0-3_0-2_announcing"),
		"Preparing":       fmt.Sprintf(request, 3, 4, "0-3_0-2_preparing"),
		"WarmingUp":       fmt.Sprintf(request, 4, 4, "0-2_0-3_warming"),
		"RemovingServers": fmt.Sprintf(request, 0, 4, "0-3"),
	}
}

// wantProxies fails unless proxies remain, and use only servers that remain.
func wantProxies(t *testing.T, request map[string]any, children []any) {
	t.Helper()
	parent := request["parent"].(map[string]any)["metadata"].(map[string]any)["name"].(string)
	proxies := childNamed(children, "Deployment "+parent+"-proxy")
	if proxies == nil {
		t.Fatalf("a 200 without the Deployment %s-proxy deletes the proxies", parent)
	}
	spec := proxies["spec"].(map[string]any)
	label, _, _ := unstructured.NestedString(spec, "template", "metadata", "labels", "memcached-operator.example.com/proxy-servers")
	routes := scaling.ParseRoutes(label)
	run := scaling.Servers{}
	if servers := childNamed(children, "StatefulSet "+parent); servers != nil {
		start, _, _ := unstructured.NestedFloat64(servers, "spec", "ordinals", "start")
		run = scaling.Servers{First: int32(start), Count: int32(servers["spec"].(map[string]any)["replicas"].(float64))}
	}
	if known := routes.Knows(); spec["replicas"] != 0.0 && (known.Count < 1 || known.First < run.First || known.End() > run.End()) {
		t.Fatalf("proxies have the routes %q to servers %s", label, run)
	}
}

// childNamed returns the child with the kind and the name; nil when there is none.
func childNamed(children []any, kindAndName string) map[string]any {
	for _, child := range children {
		if check.NameOf(child) == kindAndName {
			return child.(map[string]any)
		}
	}
	return nil
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
