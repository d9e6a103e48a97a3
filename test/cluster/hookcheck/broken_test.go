package main

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"sigs.k8s.io/yaml"
)

// broken has hooks that only one check finds, by its ID. Each changes the responses of the hook good.
var broken = map[string]func(hook string, request, answer map[string]any){
	"cluster-settles": func(_ string, _, answer map[string]any) { addPod(answer) },
	// The CRD does not have the field.
	"cluster-status": func(hook string, _, answer map[string]any) {
		if hook == "sync" {
			answer["status"] = map[string]any{"phase": "Ready"}
		}
	},
	// The hook keeps state.
	"cluster-restart": countCustomize(),
	// Only one number of replicas has the defect of cluster-settles.
	"cluster-edit": func(_ string, request, answer map[string]any) {
		if at(request, "parent", "spec", "replicas") == 3.0 {
			addPod(answer)
		}
	},
	// The hook returns the observed number of replicas.
	"cluster-drift": func(_ string, request, answer map[string]any) {
		if observed := at(request, "children", "Deployment.apps/v1", "a", "spec", "replicas"); observed != nil {
			child(answer, 0)["spec"].(map[string]any)["replicas"] = observed
		}
	},
	// The hook creates the ConfigMap once.
	"cluster-recreate": func(hook string, request, answer map[string]any) {
		if hook == "sync" && at(request, "parent", "status", "replicas") != nil && at(request, "children", "ConfigMap.v1", "a") == nil {
			answer["children"] = list(answer["children"])[:1]
		}
	},
	"cluster-delete": func(hook string, _, answer map[string]any) {
		if hook == "finalize" {
			answer["finalized"] = false
		}
	},
	"": func(string, map[string]any, map[string]any) {}, // the good hook
}

// good returns the response of a good hook.
func good(hook string, request map[string]any) map[string]any {
	if hook == "customize" {
		return map[string]any{"relatedResources": []any{}}
	}
	replicas := at(request, "parent", "spec", "replicas")
	answer := decode(fmt.Sprintf(`
status: {replicas: %v}
finalized: %v
children:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: a, labels: {app: a}}
  spec:
    replicas: %v
    selector: {matchLabels: {app: a}}
    template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: "a:1"}]}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: a}}, data: {a: b}}`, replicas, hook == "finalize", replicas))
	if hook == "finalize" {
		answer["children"] = []any{}
	}
	return answer
}

// addPod adds a pod. Admission adds tolerations to its list, which Metacontroller replaces by this one.
func addPod(answer map[string]any) {
	if children := list(answer["children"]); len(children) > 0 {
		answer["children"] = append(children, decode(`
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: a, image: "a:1"}], tolerations: [{key: dedicated, operator: Exists}]}`))
	}
}

func countCustomize() func(string, map[string]any, map[string]any) {
	var calls atomic.Int64
	return func(hook string, _, answer map[string]any) {
		if hook == "customize" {
			calls.Add(1)
		} else if len(list(answer["children"])) > 0 {
			child(answer, 1)["data"] = map[string]any{"calls": strconv.FormatInt(calls.Load(), 10)}
		}
	}
}

func child(answer map[string]any, i int) map[string]any {
	if children := list(answer["children"]); len(children) > i {
		return children[i].(map[string]any)
	}
	return decode(`{metadata: {}, spec: {}}`) // finalize returns no children
}

func at(value any, path ...string) any {
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

func decode(text string) (object map[string]any) {
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	return object
}

const (
	crdYAML = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]ss}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {replicas: {type: integer, default: 2}}}
          status: {type: object, properties: {observedGeneration: {type: integer}, replicas: {type: integer}}}`
	controllerYAML = `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: {name: %[1]s}
spec:
  generateSelector: true
  parentResource: {apiVersion: example.com/v1, resource: %[1]ss}
  childResources:
  - {apiVersion: apps/v1, resource: deployments, updateStrategy: {method: InPlace}}
  - {apiVersion: v1, resource: configmaps, updateStrategy: {method: InPlace}}
  - {apiVersion: v1, resource: pods, updateStrategy: {method: Recreate}}
  hooks: {sync: {webhook: {path: /sync}}, finalize: {webhook: {path: /finalize}}, customize: {webhook: {path: /customize}}}`
)
