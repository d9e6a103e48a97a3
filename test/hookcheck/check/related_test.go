package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestVersion checks that requests have the keys of the hook version, and that rules may then select objects of other namespaces.
func TestVersion(t *testing.T) {
	for _, test := range []struct {
		version, key string
		findings     []string
	}{{"v1", "a", []string{"related-rules"}}, {"v2", "default/a", nil}} {
		keys := map[string]bool{}
		var mutex sync.Mutex
		found := subject(t, func(hook string, request map[string]any) (map[string]any, error) {
			mutex.Lock()
			for key := range object(at(request, "children", "Deployment.apps/v1")) {
				keys[key] = true
			}
			mutex.Unlock()
			answer, err := good(hook, request)
			if rules := list(answer["relatedResources"]); len(rules) > 0 {
				object(rules[0])["namespace"] = "other"
			}
			return answer, err
		}).check(t, strings.Replace(controllerYAML, "hooks: {sync: {}, finalize: {}, customize: {}}",
			fmt.Sprintf("hooks: {sync: {version: %[1]s}, finalize: {version: %[1]s}, customize: {version: %[1]s}}", test.version), 1))
		var checks []string
		for _, f := range found {
			checks = append(checks, f.Check)
		}
		if !keys[test.key] || !slices.Equal(checks, test.findings) {
			t.Errorf("%s: keys %v, want %s; findings %v, want %s", test.version, slices.Sorted(maps.Keys(keys)), test.key, found, test.findings)
		}
	}
}

// TestRelated checks which related objects a hook gets, and with which keys.
func TestRelated(t *testing.T) {
	named := func(kind, namespace, name string, labels map[string]any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace, "labels": labels}}
	}
	others := []map[string]any{
		named("Namespace", "", "team", map[string]any{"t": "aa"}), named("Node", "", "n1", nil), named("ConfigMap", "team", "in", nil), named("ConfigMap", "other", "out", nil),
		named("ConfigMap", "", "own", nil),
	}
	for _, test := range []struct {
		reason, version string
		rule            map[string]any
		want            map[string][]string
	}{
		{"v2: the namespaces that a selector selects", "v2", map[string]any{"apiVersion": "v1", "resource": "configmaps", "namespaceSelector": map[string]any{"matchLabels": map[string]any{"t": "aa"}}},
			map[string][]string{"ConfigMap.v1": {"team/in"}}},
		{"v2: a node has no namespace", "v2", map[string]any{"apiVersion": "v1", "resource": "nodes", "labelSelector": map[string]any{}}, map[string][]string{"Node.v1": {"n1"}}},
		{"v1: the namespace of the parent", "v1", map[string]any{"apiVersion": "v1", "resource": "configmaps", "labelSelector": map[string]any{}}, map[string][]string{"ConfigMap.v1": {"own"}}},
		{"v1: no object without a namespace", "v1", map[string]any{"apiVersion": "v1", "resource": "nodes", "labelSelector": map[string]any{}}, map[string][]string{"Node.v1": nil}},
	} {
		hooks := map[string]any{"sync": map[string]any{"version": test.version}, "customize": map[string]any{"version": test.version}}
		request := map[string]any{"controller": map[string]any{"spec": map[string]any{"hooks": hooks}}, "related": map[string]any{},
			"parent": map[string]any{"metadata": map[string]any{"name": "a", "namespace": "default"}}}
		if err := subject(t, good).relate(request, map[string]any{"relatedResources": []any{test.rule}}, others); err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for group, objects := range object(request["related"]) {
			got[group] = slices.Sorted(maps.Keys(object(objects)))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
