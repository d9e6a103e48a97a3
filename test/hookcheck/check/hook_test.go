package check

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

const controllerYAML = `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: {name: things}
spec:
  generateSelector: true
  parentResource: {apiVersion: example.com/v1, resource: things}
  childResources:
  - {apiVersion: apps/v1, resource: deployments, updateStrategy: {method: InPlace}}
  - {apiVersion: v1, resource: services, updateStrategy: {method: Recreate}}
  - {apiVersion: v1, resource: pods, updateStrategy: {method: Recreate}}
  hooks: {sync: {}, finalize: {}, customize: {}}`

const crdYAML = `
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata: {type: object}
          spec: {type: object, properties: {replicas: {type: integer, default: 2}}}
          status:
            type: object
            properties:
              observedGeneration: {type: integer}
              replicas: {type: integer}
              phase: {type: string}`

// gatewayYAML is discovered, without a schema.
const gatewayYAML = `{kind: APIResourceList, groupVersion: example.com/v1, resources: [{name: gateways, kind: Gateway, namespaced: true}]}`

const sampleYAML = `
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: {}`

// thing is a hook with all properties. Tests break one of them. It is a function of the request and the time.
type thing func(hook string, request map[string]any) (map[string]any, error)

func good(hook string, request map[string]any) (map[string]any, error) {
	parent := text(request, "parent", "metadata", "name")
	spec := object(at(request, "parent", "spec"))
	if parent == "" || spec == nil {
		return nil, errors.New("no parent")
	}
	if hook == "customize" {
		return map[string]any{"relatedResources": []any{map[string]any{"apiVersion": "v1", "resource": "pods",
			"labelSelector": map[string]any{"matchLabels": map[string]any{"thing": parent}}}}}, nil
	}
	for _, group := range []string{"Deployment.apps/v1", "Service.v1", "Pod.v1"} {
		if !isObject(at(request, "children", group)) {
			return nil, errors.New("no " + group)
		}
	}
	labels := map[string]any{"thing": parent}
	metadata := map[string]any{"name": parent, "labels": labels}
	deployment := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": clone(metadata), "spec": map[string]any{
		"replicas": spec["replicas"], "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{map[string]any{"name": "a", "image": "a:1"}}}}}}
	service := map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": clone(metadata), "spec": map[string]any{
		"selector": labels, "ports": []any{map[string]any{"name": "http", "port": 80, "targetPort": "http"}}}}
	answer := map[string]any{"status": map[string]any{"replicas": spec["replicas"]}, "children": []any{deployment, service}}
	if hook == "finalize" {
		answer["children"] = []any{}
		answer["finalized"] = objectsIn(map[string]any{"children": request["children"]}) == 0
	}
	return clone(answer), nil
}

// subject returns the good hook, broken by a function that changes responses.
func subject(t *testing.T, hook thing, replaced ...string) *Subject {
	t.Helper()
	crds, err := CRDs(nil).Add([]byte(strings.NewReplacer(replaced...).Replace(crdYAML)))
	if err == nil {
		crds, err = crds.Add([]byte(gatewayYAML))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Subject{CRDs: crds, Call: func(name string, body []byte, etag string) Response {
		if etag != "" {
			return Response{Code: http.StatusNotModified}
		}
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			return Response{Code: http.StatusBadRequest}
		}
		answer, err := hook(name, request)
		if refused, ok := errors.AsType[status](err); ok {
			return refused.Response
		}
		if err != nil {
			return Response{Code: http.StatusBadRequest, Body: []byte(err.Error())}
		}
		return Response{Code: http.StatusOK, Body: encode(answer), Took: time.Millisecond}
	}}
}

// status is an error with a whole response.
type status struct{ Response }

func (s status) Error() string { return strconv.Itoa(s.Code) }

// check returns the findings of all checks about the sample.
func (s *Subject) check(t *testing.T, controllerYAML string, replaced ...string) []Finding {
	t.Helper()
	cases, err := s.FromSample(decode(t, controllerYAML, replaced...), decode(t, sampleYAML, replaced...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Run(Checks, cases)
}

// decode decodes YAML after replacements.
func decode(t *testing.T, text string, replaced ...string) (object map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(strings.NewReplacer(replaced...).Replace(text)), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
