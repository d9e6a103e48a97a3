package check

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

// FromSample returns the requests about a parent as Metacontroller sends them: to customize, to sync without children, with the children
// that sync returns, and with a status of these, and to finalize. Other objects are related if a rule of customize selects them.
func (s *Subject) FromSample(controller, sample map[string]any, others []map[string]any) ([]Case, error) {
	parent := s.created(sample)
	name := NameOf(parent)
	request := map[string]any{"controller": controller, "parent": parent, "children": map[string]any{}, "related": map[string]any{}, "finalizing": false}
	for _, child := range list(at(controller, "spec", "childResources")) {
		kind, err := s.CRDs.KindOf(text(child, "apiVersion"), text(child, "resource"))
		if err != nil {
			return nil, fmt.Errorf("childResources: %w", err)
		}
		object(request["children"])[keyOfKind(kind)] = map[string]any{}
	}
	var cases []Case
	if at(controller, "spec", "hooks", "customize") != nil {
		customize := Case{Name: name, Hook: "customize", Request: map[string]any{"controller": controller, "parent": parent}}
		cases = append(cases, customize)
		if err := s.relate(request, s.send(customize).answer, others); err != nil {
			return nil, err
		}
	}
	first := Case{Name: name, Hook: "sync", Request: request}
	cases = append(cases, first)
	e := s.send(first)
	if e.answer == nil {
		return cases, nil
	}
	s.settle(e)
	if objectsIn(e.settled.Request) > objectsIn(request) || len(e.writes) > 0 {
		cases = append(cases, e.settled)
	}
	cases = append(cases, s.CRDs.later(e.settled)...)
	if at(controller, "spec", "hooks", "finalize") != nil {
		last := Case{Name: name, Hook: "finalize", Request: clone(e.settled.Request)}
		last.Request["finalizing"] = true
		object(at(last.Request, "parent", "metadata"))["deletionTimestamp"] = "2026-01-01T00:00:01Z"
		cases = append(cases, last)
	}
	return cases, nil
}

// created returns a sample as the API server stores it.
func (s *Subject) created(sample map[string]any) map[string]any {
	parent := &unstructured.Unstructured{Object: clone(sample)}
	if crd := s.CRDs.of(sample); crd != nil {
		crd.store(parent.Object)
	}
	if parent.GetNamespace() == "" && !s.CRDs.hasNoNamespace(sample) {
		parent.SetNamespace("default")
	}
	parent.SetUID("00000000-0000-4000-8000-000000000001")
	parent.SetGeneration(1)
	parent.SetResourceVersion("1")
	unstructured.RemoveNestedField(parent.Object, "status")
	object(parent.Object["metadata"])["creationTimestamp"] = "2026-01-01T00:00:00Z"
	return clone(parent.Object)
}

// relate adds the groups of the rules of customize to a request, and the objects that they select.
func (s *Subject) relate(request, answer map[string]any, others []map[string]any) error {
	parent := text(request, "parent", "metadata", "namespace")
	objects, namespaces := s.stored(others)
	for _, each := range list(answer["relatedResources"]) {
		rule, kind, err := s.rule(each)
		if err != nil {
			return fmt.Errorf("relatedResources: %w", err)
		}
		group := object(at(request, "related", keyOfKind(kind)))
		if group == nil {
			group = map[string]any{}
			object(request["related"])[keyOfKind(kind)] = group
		}
		for _, o := range objects {
			if o.GroupVersionKind() == kind && metacontroller.Sent(isV2(request, "sync"), parent, o) && rule.Selects(s.scope(request, kind), o, namespaces) {
				group[s.CRDs.keyOf(request, o.Object)] = clone(o.Object)
			}
		}
	}
	return nil
}

// stored returns the objects of a cluster that may be related, and the labels of its namespaces.
func (s *Subject) stored(others []map[string]any) (objects []*unstructured.Unstructured, namespaces map[string]labels.Set) {
	namespaces = map[string]labels.Set{}
	for _, other := range others {
		o := &unstructured.Unstructured{Object: clone(other)}
		if o.GetNamespace() == "" && !s.CRDs.hasNoNamespace(other) {
			o.SetNamespace("default")
		}
		o.SetUID("00000000-0000-4000-8000-000000000003")
		if groupOf(other) == "Namespace.v1" {
			namespaces[o.GetName()] = o.GetLabels()
		}
		objects = append(objects, o)
	}
	return objects, namespaces
}

// rule decodes a rule of customize, and returns the kind that it selects.
func (s *Subject) rule(each any) (rule metacontroller.Rule, kind schema.GroupVersionKind, err error) {
	if err = json.Unmarshal(encode(each), &rule); err == nil {
		kind, err = s.kinds().KindOf(rule.APIVersion, rule.Resource)
	}
	return rule, kind, err
}

// scope returns what decides which objects of a kind are related to the parent of a request.
func (s *Subject) scope(request map[string]any, kind schema.GroupVersionKind) metacontroller.Scope {
	return metacontroller.Scope{
		V2: isV2(request, "customize"), Namespace: text(request, "parent", "metadata", "namespace"), Cluster: s.kinds().isCluster(kind),
	}
}

// kinds returns the CRDs; none without a subject.
func (s *Subject) kinds() CRDs {
	if s == nil {
		return nil
	}
	return s.CRDs
}

// keyOfKind returns Metacontroller's key of a kind, such as "Deployment.apps/v1".
func keyOfKind(kind schema.GroupVersionKind) string {
	return kind.Kind + "." + kind.GroupVersion().String()
}
