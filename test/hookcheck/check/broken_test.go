package check

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

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
	{check: "responds", defect: "an error while it waits for a Secret", also: "waits: no Secret: add what it waits for", hook: func(string, map[string]any) (map[string]any, error) {
		return nil, status{Response{Code: http.StatusTooManyRequests, RetryAfter: "1", Body: []byte("no Secret")}}
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
	{check: "limits", defect: "twice as many children at each sync", also: "the children of the hook grow in size or number", change: func(request, answer map[string]any) {
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
