package check

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/webhook/render"
)

// FromSample returns the requests about a parent as Metacontroller sends them: to customize, to sync without children and with the
// children that sync returns, and to finalize. Other objects are related if a rule of customize selects them.
func (s *Subject) FromSample(controller, sample map[string]any, others []map[string]any) ([]Case, error) {
	parent := s.created(sample)
	name := NameOf(parent)
	request := map[string]any{"controller": controller, "parent": parent, "children": map[string]any{}, "related": map[string]any{}, "finalizing": false}
	for _, child := range list(at(controller, "spec", "childResources")) {
		kind, err := s.CRDs.KindOf(text(child, "apiVersion"), text(child, "resource"))
		if err != nil {
			return nil, fmt.Errorf("childResources: %w", err)
		}
		object(request["children"])[kind.Kind+"."+kind.GroupVersion().String()] = map[string]any{}
	}
	var cases []Case
	if at(controller, "spec", "hooks", "customize") != nil {
		customize := Case{name, "customize", map[string]any{"controller": controller, "parent": parent}}
		cases = append(cases, customize)
		if err := s.relate(request, s.send(customize).answer, others); err != nil {
			return nil, err
		}
	}
	first := Case{name, "sync", request}
	cases = append(cases, first)
	e := s.send(first)
	if e.answer == nil {
		return cases, nil
	}
	s.settle(e)
	if objectsIn(e.settled.Request) > objectsIn(request) || len(e.writes) > 0 {
		cases = append(cases, e.settled)
	}
	if at(controller, "spec", "hooks", "finalize") != nil {
		last := Case{name, "finalize", clone(e.settled.Request)}
		last.Request["finalizing"] = true
		object(at(last.Request, "parent", "metadata"))["deletionTimestamp"] = "2026-01-01T00:00:01Z"
		cases = append(cases, last)
	}
	return cases, nil
}

// created returns a sample as the API server stores it.
func (s *Subject) created(sample map[string]any) map[string]any {
	parent := &unstructured.Unstructured{Object: clone(sample)}
	crd := s.CRDs.Of(parent.GroupVersionKind())
	if crd != nil {
		render.SetDefaults(&crd.Schema, parent.Object)
	}
	if parent.GetNamespace() == "" && (crd == nil || !crd.Cluster) {
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
	for _, each := range list(answer["relatedResources"]) {
		kind, err := s.CRDs.KindOf(text(each, "apiVersion"), text(each, "resource"))
		if err != nil {
			return fmt.Errorf("relatedResources: %w", err)
		}
		group := map[string]any{}
		object(request["related"])[kind.Kind+"."+kind.GroupVersion().String()] = group
		for _, other := range others {
			related := clone(other)
			if text(related, "metadata", "namespace") == "" && kind.Kind != "Namespace" {
				object(related["metadata"])["namespace"] = "default"
			}
			if groupOf(related) == kind.Kind+"."+kind.GroupVersion().String() && selects(object(each), related) {
				object(related["metadata"])["uid"] = "00000000-0000-4000-8000-000000000003"
				group[keyOf(request, related)] = related
			}
		}
	}
	return nil
}

// selects reports whether a rule selects an object.
func selects(rule, related map[string]any) bool {
	namespace, names := text(rule, "namespace"), list(rule["names"])
	if namespace != "" && namespace != text(related, "metadata", "namespace") {
		return false
	}
	if len(names) > 0 {
		return slices.Contains(names, at(related, "metadata", "name"))
	}
	var selector metav1.LabelSelector
	if err := json.Unmarshal(encode(rule["labelSelector"]), &selector); err != nil {
		return false
	}
	compiled, err := metav1.LabelSelectorAsSelector(&selector)
	return err == nil && compiled.Matches(labels.Set((&unstructured.Unstructured{Object: related}).GetLabels()))
}
