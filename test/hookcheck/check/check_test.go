package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// child returns a child of a response; the Deployment is the first and the Service the second one.
func child(answer map[string]any, i int) map[string]any {
	if children := list(answer["children"]); len(children) > i {
		return object(children[i])
	}
	return map[string]any{}
}

func add(answer map[string]any, child any) {
	answer["children"] = append(list(answer["children"]), child)
}

// broken has hooks that only one check finds.
var broken = []struct {
	check, defect string
	// change changes the response to a sync; hook replaces the hook.
	change func(request, answer map[string]any)
	hook   thing
	// yaml replaces parts of the CompositeController, the CRD and the sample.
	yaml []string
	also string // a part of a message
}{
	{check: "responds", defect: "an exception for any request", hook: func(string, map[string]any) (map[string]any, error) {
		return nil, status{Response{Code: 500, Body: []byte("KeyError: 'x'")}}
	}},
	{check: "retry-after", defect: "429 without Retry-After while it handles another request", hook: busy()},
	{check: "response-fields", defect: "a member in the wrong case", change: func(_, answer map[string]any) { answer["resyncafterseconds"] = 5 }},
	{check: "child-null", defect: "a nil pointer for a child that is disabled", change: func(_, answer map[string]any) { add(answer, nil) }},
	{check: "child-identity", defect: "generateName", change: func(_, answer map[string]any) {
		add(answer, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"generateName": "a-"}})
	}},
	{check: "child-listed", defect: "a ConfigMap, which childResources do not list", change: func(_, answer map[string]any) {
		add(answer, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}})
	}},
	{check: "child-twice", defect: "the same Service twice", change: func(_, answer map[string]any) { add(answer, clone(child(answer, 1))) }},
	{check: "child-twice", defect: "the same Service, once with the namespace of the parent", change: func(_, answer map[string]any) {
		again := clone(child(answer, 1))
		object(again["metadata"])["namespace"] = "default"
		add(answer, again)
	}},
	{check: "child-namespace", defect: "a fixed namespace", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["namespace"] = "kube-system"
	}},
	{check: "child-namespace", defect: "a ClusterRole of a parent in a namespace", yaml: []string{"{apiVersion: v1, resource: pods,", "{apiVersion: rbac.authorization.k8s.io/v1, resource: clusterroles,"},
		hook: withGroup("ClusterRole.rbac.authorization.k8s.io/v1", func(_, answer map[string]any) {
			add(answer, map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "a"}, "rules": []any{}})
		}), also: "has no namespace"},
	{check: "child-namespace", defect: "a child without a namespace, of a parent without one", yaml: []string{"  group: example.com", "  scope: Cluster\n  group: example.com"}, also: "names no namespace", change: nothing},
	{check: "child-metadata", defect: "a label that is a number (GoogleCloudPlatform/metacontroller#109)", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["labels"] = map[string]any{"n": 1}
	}},
	{check: "child-metadata", defect: "an annotation that is a boolean", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["annotations"] = map[string]any{"n": true}
	}},
	{check: "child-metadata", defect: "a label with the key of an object", also: "metadata.labels", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["labels"] = map[string]any{"owner": "default/a"}
	}},
	{check: "child-metadata", defect: "a name with an underscore", also: "metadata.name", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["name"] = "a_b"
	}},
	{check: "child-schema", defect: "a misspelt field", also: `unknown field "spec.replica"`, change: func(_, answer map[string]any) {
		object(child(answer, 0)["spec"])["replica"] = 2
	}},
	{check: "child-schema", defect: "a field in the wrong case", also: `unknown field "spec.Type"`, change: func(_, answer map[string]any) {
		object(child(answer, 1)["spec"])["Type"] = "ClusterIP"
	}},
	{check: "child-schema", defect: "a number for a text", also: "cannot unmarshal", change: func(_, answer map[string]any) {
		object(list(at(child(answer, 0), "spec", "template", "spec", "containers"))[0])["env"] = []any{map[string]any{"name": "A", "value": 1}}
	}},
	{check: "child-schema", defect: "a container without an image", also: `"spec.template.spec.containers[0].image" is missing`, change: func(_, answer map[string]any) {
		delete(object(list(at(child(answer, 0), "spec", "template", "spec", "containers"))[0]), "image")
	}},
	{check: "child-schema", defect: "a Service without the number of a port", also: `"spec.ports[0].port" is missing`, change: func(_, answer map[string]any) {
		delete(object(list(at(child(answer, 1), "spec", "ports"))[0]), "port")
	}},
	{check: "child-schema", defect: "a selector with a label that the pods do not have", also: "does not select the labels", change: func(_, answer map[string]any) {
		object(at(child(answer, 0), "spec", "selector", "matchLabels"))["other"] = "a"
	}},
	{check: "child-schema", defect: "a custom child with a field that its CRD does not have", also: `unknown field "spec.size"`,
		yaml: []string{"{apiVersion: v1, resource: pods,", "{apiVersion: example.com/v1, resource: things,"}, hook: withGroup("Thing.example.com/v1", func(_, answer map[string]any) {
			add(answer, map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"size": 1}})
		})},
	{check: "child-owner", defect: "neither spec.selector nor generateSelector", yaml: []string{"generateSelector: true", ""}, change: nothing},
	{check: "child-owner", defect: "a selector that the CRD drops (metacontroller#573)", yaml: []string{"generateSelector: true", "", "spec: {}", "spec: {selector: {matchLabels: {thing: a}}}"}, change: nothing},
	{check: "child-owner", defect: "an empty selector", yaml: []string{"generateSelector: true", "", "spec: {}", "spec: {selector: {}}", "properties: {replicas:", "properties: {selector: {type: object, x-kubernetes-preserve-unknown-fields: true}, replicas:"}, change: nothing},
	{check: "parent-crd", defect: "a CRD without the status subresource (metacontroller#68)", yaml: []string{"    subresources: {status: {}}\n", ""}, change: nothing},
	{check: "parent-crd", defect: "a parent that Kubernetes has built in (metacontroller#714)", change: nothing,
		yaml: []string{"example.com/v1, resource: things", "v1, resource: replicationcontrollers", "apiVersion: example.com/v1\nkind: Thing", "apiVersion: v1\nkind: ReplicationController", "spec: {}", "spec: {replicas: 1}"}},
	{check: "list-key", defect: "TCP and UDP on one port (metacontroller#371)", change: func(_, answer map[string]any) {
		containers := list(at(child(answer, 0), "spec", "template", "spec", "containers"))
		object(containers[0])["ports"] = []any{map[string]any{"containerPort": 53, "protocol": "TCP"}, map[string]any{"containerPort": 53, "protocol": "UDP"}}
	}},
	{check: "on-delete", defect: "no updateStrategy (metacontroller#664)", yaml: []string{"deployments, updateStrategy: {method: InPlace}", "deployments"}, also: "an edit of spec.replicas changes spec.replicas of Deployment a", change: nothing},
	{check: "rolling-update", defect: "RollingInPlace in a namespace", yaml: rolling, also: "never updates Service a", change: nothing},
	{check: "rolling-update", defect: "no status", yaml: slices.Concat(rolling[:2], rolling[4:]), also: "sync returns no status",
		change: func(_, answer map[string]any) { delete(answer, "status") }},
	{check: "status-schema", defect: "a CRD without conditions for those of a rolling update", yaml: rolling[:2], also: `unknown field "status.conditions"`,
		change: func(_, answer map[string]any) { answer["children"] = list(answer["children"])[:1] }},
	{check: "etag", defect: "an ETag that never changes (metacontroller#558)", yaml: []string{"hooks: {sync: {}", "hooks: {sync: {webhook: {etag: {enabled: true}}}"}, hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if hook != "sync" || err != nil {
			return answer, err
		}
		return nil, status{Response{Code: http.StatusOK, Body: encode(answer), Took: time.Millisecond, ETag: "v1"}}
	}},
	{check: "finalized-in-sync", defect: "finalized in each response", change: func(_, answer map[string]any) { answer["finalized"] = true }},
	{check: "resync-delay", defect: "a resync after 100 ms", change: func(_, answer map[string]any) { answer["resyncAfterSeconds"] = 0.1 }},
	{check: "same-response", defect: "a global variable that parallel requests share", hook: shared()},
	{check: "ignored-fields", defect: "the resourceVersion of the parent in an annotation", change: func(request, answer map[string]any) {
		object(child(answer, 0)["metadata"])["annotations"] = map[string]any{"seen": at(request, "parent", "metadata", "resourceVersion")}
	}},
	{check: "fail-closed", defect: "a group that is missing reads as an empty one", change: nil, hook: func(hook string, request map[string]any) (map[string]any, error) {
		if children := object(request["children"]); hook != "customize" && at(children, "Pod.v1") == nil && children != nil {
			children["Pod.v1"] = map[string]any{}
			answer, err := good(hook, request)
			if err == nil {
				answer["children"] = list(answer["children"])[:min(1, len(list(answer["children"])))]
			}
			return answer, err
		}
		return good(hook, request)
	}},
	{check: "hot-loop", defect: "a port of 0, which the API server replaces, as Go encodes an unset IntOrString (GoogleCloudPlatform/metacontroller#76)", change: func(_, answer map[string]any) {
		object(list(at(child(answer, 1), "spec", "ports"))[0])["targetPort"] = 0
	}},
	{check: "hot-loop", defect: "a custom child whose plural is not regular", yaml: []string{"{apiVersion: v1, resource: pods, updateStrategy: {method: Recreate}}", "{apiVersion: example.com/v1, resource: gateways, updateStrategy: {method: InPlace}}"},
		also: "because the hook returns another spec.class", hook: withGroup("Gateway.example.com/v1", func(request, answer map[string]any) {
			version := at(request, "children", "Gateway.example.com/v1", "a", "metadata", "generation")
			add(answer, map[string]any{"apiVersion": "example.com/v1", "kind": "Gateway", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"class": fmt.Sprint(version)}})
		})},
	{check: "hot-loop", defect: "stringData, which the API server stores as data", yaml: []string{"{apiVersion: v1, resource: pods,", "{apiVersion: v1, resource: secrets,"},
		also: "is deleted and created again, because of stringData", hook: withGroup("Secret.v1", func(_, answer map[string]any) {
			add(answer, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a"}, "stringData": map[string]any{"k": "v"}})
		})},
	{check: "hot-loop", defect: "a quantity that is not canonical", also: "is written without a change, because of spec.template.spec.containers.a.resources.limits.cpu", change: func(_, answer map[string]any) {
		containers := list(at(child(answer, 0), "spec", "template", "spec", "containers"))
		object(containers[0])["resources"] = map[string]any{"limits": map[string]any{"cpu": "1000m"}}
	}},
	{check: "hot-loop", defect: "the observed child as it is", also: "because the hook returns another metadata.resourceVersion", change: func(request, answer map[string]any) {
		if observed := at(request, "children", "Deployment.apps/v1", "a"); text(observed, "metadata", "name") == "a" {
			list(answer["children"])[0] = clone(observed)
		}
	}},
	{check: "limits", defect: "twice as many children at each sync", also: "the children of the hook become larger", change: func(request, answer map[string]any) {
		for i := range 2*objectsIn(request) + 100 {
			one := clone(child(answer, 1))
			object(one["metadata"])["name"] = fmt.Sprint("a-", i)
			add(answer, one)
		}
	}},
	{check: "status-settles", defect: "the time of the sync in the status", change: func(_, answer map[string]any) {
		answer["status"] = map[string]any{"phase": clock()}
	}},
	{check: "status-schema", defect: "a field that the CRD does not have", change: func(_, answer map[string]any) {
		object(answer["status"])["ready"] = true
	}},
	{check: "status-schema", defect: "a field that is set when the children are ready", also: "with children that are ready", change: func(request, answer map[string]any) {
		if at(request, "children", "Deployment.apps/v1", "a", "status", "availableReplicas") == 2.0 {
			object(answer["status"])["ready"] = true
		}
	}},
	{check: "status-schema", defect: "a status without fields in the CRD", also: "drops all of them", yaml: []string{"type: object\n            properties:\n              observedGeneration: {type: integer}\n              replicas: {type: integer}\n              phase: {type: string}", "type: object"}, change: nothing},
	{check: "finalize-ends", defect: "finalize returns the children", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if hook == "finalize" && err == nil {
			whole, _ := good("sync", request)
			answer["children"] = whole["children"]
		}
		return answer, err
	}},
	{check: "related-rules", defect: "a rule that selects all pods", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if rules := list(answer["relatedResources"]); len(rules) > 0 {
			delete(object(rules[0]), "labelSelector")
		}
		return answer, err
	}},
	{check: "related-rules", defect: "names and an empty selector", hook: withRule(map[string]any{"names": []any{"a"}, "labelSelector": map[string]any{}}), also: "both names and a selector"},
	{check: "related-rules", defect: "namespace and namespaceSelector", hook: withRule(map[string]any{"namespace": "a", "namespaceSelector": map[string]any{}}), yaml: v2, also: "both namespace and namespaceSelector"},
	{check: "related-rules", defect: "namespaceSelector in v1", hook: withRule(map[string]any{"namespaceSelector": map[string]any{}}), also: "needs version v2"},
	{check: "related-rules", defect: "namespaceSelector for nodes", hook: withRule(map[string]any{"resource": "nodes", "namespaceSelector": map[string]any{}}), yaml: v2, also: "nodes have no namespace"},
	{check: "related-rules", defect: "an object without a namespace in v1 (metacontroller#842)", hook: withRule(map[string]any{"resource": "namespaces", "names": []any{"default"}}), also: "only with version v2"},
	{check: "related-stable", defect: "a rule with the phase in the status", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if rules := list(answer["relatedResources"]); len(rules) > 0 {
			object(at(rules[0], "labelSelector", "matchLabels"))["phase"] = text(request, "parent", "status", "phase")
		}
		return answer, err
	}},
	{check: "thousand-objects", defect: "six seconds for a thousand objects", hook: func(hook string, request map[string]any) (map[string]any, error) {
		if objectsIn(request) > 500 {
			answer, err := good(hook, request)
			return nil, errors.Join(err, in(6*time.Second, answer))
		}
		return good(hook, request)
	}},
}

// nothing changes no response: the defect is in the files.
func nothing(_, _ map[string]any) {}

// rolling sets the update method of both kinds of children, and gives the status conditions.
var rolling = []string{
	"deployments, updateStrategy: {method: InPlace}", "deployments, updateStrategy: {method: RollingInPlace}", "services, updateStrategy: {method: Recreate}", "services, updateStrategy: {method: RollingRecreate}",
	"phase: {type: string}", "phase: {type: string}\n              conditions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
}

// v2 sets the version of all hooks.
var v2 = []string{"hooks: {sync: {}, finalize: {}, customize: {}}", "hooks: {sync: {version: v2}, finalize: {version: v2}, customize: {version: v2}}"}

// withRule returns the good hook with a rule in addition.
func withRule(rule map[string]any) thing {
	whole := map[string]any{"apiVersion": "v1", "resource": "configmaps"}
	maps.Copy(whole, rule)
	return func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if hook == "customize" && err == nil {
			answer["relatedResources"] = append(list(answer["relatedResources"]), whole)
		}
		return answer, err
	}
}

// withGroup returns the good hook with a change, for children of another kind than pods. It refuses requests without the kind.
func withGroup(group string, change func(request, answer map[string]any)) thing {
	return func(hook string, request map[string]any) (map[string]any, error) {
		if children := object(request["children"]); children != nil && hook != "customize" {
			children["Pod.v1"] = children[group]
		}
		answer, err := good(hook, request)
		if hook == "sync" && err == nil {
			change(request, answer)
		}
		return answer, err
	}
}

// clock returns the number of times that the test has waited.
var ticks atomic.Int64

func clock() string { return strconv.FormatInt(ticks.Load(), 10) }

// in returns an error with a response after some time.
func in(took time.Duration, answer map[string]any) error {
	return status{Response{Code: http.StatusOK, Body: encode(answer), Took: took}}
}

// shared returns a hook that responds differently while it handles another request.
func shared() thing {
	return counted(1, func(answer map[string]any) error {
		object(answer["status"])["phase"] = "changed"
		return nil
	})
}

// busy returns a hook that refuses requests while it handles eight others.
func busy() thing {
	return counted(8, func(map[string]any) error { return status{Response{Code: http.StatusTooManyRequests}} })
}

// counted returns the good hook with a change for requests above a number at the same time.
func counted(most int64, change func(answer map[string]any) error) thing {
	var running atomic.Int64
	return func(hook string, request map[string]any) (map[string]any, error) {
		defer running.Add(-1)
		above := running.Add(1) > most
		time.Sleep(time.Millisecond) // so that parallel requests overlap
		answer, err := good(hook, request)
		if above && err == nil && hook == "sync" {
			err = change(answer)
		}
		return answer, err
	}
}

// TestChecks checks that each check finds its defect, that no other one does, and that a good hook has no findings.
func TestChecks(t *testing.T) {
	if found := subject(t, good).check(t, controllerYAML); len(found) > 0 {
		t.Errorf("the good hook has findings: %v", found)
	}
	tested := map[string]bool{}
	for _, b := range broken {
		tested[b.check] = true
		hook := b.hook
		if hook == nil {
			hook = func(name string, request map[string]any) (map[string]any, error) {
				answer, err := good(name, request)
				if name == "sync" && err == nil {
					b.change(request, answer)
				}
				return answer, err
			}
		}
		s := subject(t, hook, b.yaml...)
		s.Wait = func() { ticks.Add(1) }
		if b.check == limits.ID {
			s.Limits.Bytes = 1 << 20
		}
		found := s.check(t, controllerYAML, b.yaml...)
		if !slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Message, b.also) }) || slices.ContainsFunc(found, func(f Finding) bool { return f.Check != b.check }) {
			t.Errorf("%s: %s: findings %.1000s, want %q", b.check, b.defect, fmt.Sprint(found), b.also)
		}
	}
	for _, c := range Checks {
		if !tested[c.ID] {
			t.Errorf("no broken hook for %s: %v", c.ID, slices.Sorted(maps.Keys(tested)))
		}
	}
}

// TestNoFalseAlarm has hooks with which Metacontroller works.
func TestNoFalseAlarm(t *testing.T) {
	for _, test := range []struct {
		reason string
		yaml   []string
		change func(request, answer map[string]any)
	}{
		{"a CRD that stores unknown fields needs no schema of the status", []string{"        properties:\n          metadata", "        x-kubernetes-preserve-unknown-fields: true\n        properties:\n          metadata",
			"\n          status:\n            type: object\n            properties:\n              observedGeneration: {type: integer}\n              replicas: {type: integer}\n              phase: {type: string}", ""}, nothing},
		{"an observed child as it is, of a kind that is never updated", []string{"deployments, updateStrategy: {method: InPlace}", "deployments, updateStrategy: {method: OnDelete}"}, func(request, answer map[string]any) {
			if observed := at(request, "children", "Deployment.apps/v1", "a"); text(observed, "metadata", "name") == "a" {
				list(answer["children"])[0] = clone(observed)
			}
		}},
		{"a fieldRef without apiVersion, which Metacontroller has merged since 3.0.1", nil, func(_, answer map[string]any) {
			volume := map[string]any{"name": "info", "downwardAPI": map[string]any{"items": []any{map[string]any{"path": "a", "fieldRef": map[string]any{"fieldPath": "metadata.name"}}}}}
			object(at(child(answer, 0), "spec", "template", "spec"))["volumes"] = []any{volume}
		}},
	} {
		found := subject(t, func(hook string, request map[string]any) (map[string]any, error) {
			answer, err := good(hook, request)
			if hook == "sync" && err == nil {
				test.change(request, answer)
			}
			return answer, err
		}, test.yaml...).check(t, controllerYAML, test.yaml...)
		if len(found) > 0 {
			t.Errorf("%s: findings %v", test.reason, found)
		}
	}
}

// TestEnds checks that a request that ends the hook does not hide the others: hookcheck waits until the hook runs again, or says what
// it has not tried.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		restarts bool
		want     []string
	}{
		{true, []string{"sync, the body is null: the hook does not respond any more", "sync, cut off: the hook does not respond any more"}},
		{false, []string{"customize, the body is null: the hook does not respond any more", "more broken requests were not tried", "finalize: not tried"}},
	} {
		s := subject(t, good)
		healthy, ended := s.Call, false
		s.Call = func(hook string, body []byte, etag string) Response {
			if ended = ended || !json.Valid(body) || string(body) == "null"; ended {
				return Response{Err: errors.New("connection refused")}
			}
			return healthy(hook, body, etag)
		}
		s.Wait = func() { ended = ended && !test.restarts }
		cases, err := s.FromSample(decode(t, controllerYAML), decode(t, sampleYAML), nil)
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, f := range s.Run([]Check{failClosed}, cases) {
			messages = append(messages, f.Message)
		}
		for _, want := range test.want {
			if !strings.Contains(strings.Join(messages, "\n"), want) {
				t.Errorf("restarts %t: no %q in %.2000q", test.restarts, want, messages)
			}
		}
	}
}

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

// TestKeepsListsWithoutKey checks that list-key ignores the ports of a NetworkPolicy: its rules have no key, so they are replaced.
func TestKeepsListsWithoutKey(t *testing.T) {
	ports := []any{map[string]any{"port": 53.0, "protocol": "TCP"}, map[string]any{"port": 53.0, "protocol": "UDP"}}
	if found := sameKeys(map[string]any{"egress": []any{map[string]any{"ports": ports}}}, "spec"); len(found) > 0 {
		t.Error(found)
	}
	if found := sameKeys(map[string]any{"ports": ports}, "spec"); len(found) != 1 {
		t.Errorf("a Service: %v", found)
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

func TestMemory(t *testing.T) {
	s := subject(t, good)
	var peak atomic.Int64
	s.Peak = func() int64 { return peak.Add(1 << 30) }
	for _, f := range s.check(t, controllerYAML) {
		if f.Check != "thousand-objects" || !strings.Contains(f.Message, "needs 1024 MiB") {
			t.Errorf("finding %v", f)
		}
	}
	if peak.Load() == 0 {
		t.Error("the memory of the hook is not measured")
	}
}
