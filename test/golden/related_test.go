package golden

import (
	"net/http"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

// podRules returns the rules for pods that the customize hook returns for the controller and the parent of a sync request.
func podRules(t testing.TB, handler http.Handler, controller string, request map[string]any) []metacontroller.Rule {
	t.Helper()
	body := mustPost(t, handler, "/"+controller+"/customize", encode(t, map[string]any{"controller": request["controller"], "parent": request["parent"]}))
	var response struct {
		RelatedResources []metacontroller.Rule `json:"relatedResources"`
	}
	mustDecode(t, body, &response)
	return slices.DeleteFunc(response.RelatedResources, func(rule metacontroller.Rule) bool { return rule.Resource != "pods" })
}

// TestRulesSelectEveryPod checks that the customize hook selects every pod of status.nodes, of all recorded requests.
func TestRulesSelectEveryPod(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	checked := map[string]int{}
	for _, f := range syncFixtures(t) {
		if f.controller == "xca" {
			continue // no pods
		}
		request := parse(t, f.request)
		response := parse(t, mustPost(t, handler, f.url(), f.request))
		rules := podRules(t, handler, f.controller, request)
		namespace, _ := request["parent"].(map[string]any)["metadata"].(map[string]any)["namespace"].(string)
		pods, _ := request["related"].(map[string]any)["Pod.v1"].(map[string]any)
		nodes, _ := response["status"].(map[string]any)["nodes"].([]any)
		for _, pod := range pods {
			var metadata struct {
				Metadata metav1.ObjectMeta `json:"metadata"`
			}
			mustDecode(t, encode(t, pod), &metadata)
			if metadata.Metadata.Namespace != namespace || !slices.Contains(nodes, any(metadata.Metadata.Name)) {
				continue // a pod of another owner
			}
			checked[f.controller]++
			if !slices.ContainsFunc(rules, func(rule metacontroller.Rule) bool {
				return rule.Selects(metacontroller.Scope{Namespace: namespace}, &metadata.Metadata, nil)
			}) {
				t.Errorf("%s: status.nodes has the pod %s, but the rules do not select it: %v", f.name, metadata.Metadata.Name, rules)
			}
		}
	}
	for _, controller := range []string{"memcached", "nginx", "customimagedeploy"} {
		if checked[controller] == 0 {
			t.Errorf("no recorded pod of %s", controller)
		}
	}
}
