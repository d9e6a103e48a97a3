package check

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/internal/apiserver"
	"github.com/example/memcached-operator/test/internal/metacontroller"
	"github.com/example/memcached-operator/webhook/merge"
)

// Write is a write of Metacontroller. Child is the kind and name; "" for the status of the parent.
type Write struct{ Child, What string }

const rounds = 20

// settle applies responses until Metacontroller writes nothing. No other controller acts: the children have no status.
func (s *Subject) settle(e *exchange) {
	e.settled, e.last = e.Case, e.answer
	for range rounds {
		e.settled.Request, e.writes = s.CRDs.Apply(e.settled.Request, e.last)
		next := s.send(e.settled)
		if next.answer == nil {
			e.writes = nil // the check of the case with children reports it
			return
		}
		e.last = next.answer
		if len(e.writes) == 0 {
			return
		}
	}
}

// Apply returns the next request after Metacontroller has applied a response, before any other controller acts, and what it wrote.
// Desired children are created or updated as their update strategy says, other children are deleted, and the parent has the new status.
func (c CRDs) Apply(request, answer map[string]any) (map[string]any, []Write) {
	next := maps.Clone(request)
	observedGroups, applied := object(request["children"]), map[string]any{}
	for group := range observedGroups {
		applied[group] = map[string]any{}
	}
	var writes []Write
	desired := map[string]bool{}
	for _, child := range list(answer["children"]) {
		group, key := groupOf(child), c.keyOf(request, child)
		desired[group+key] = true
		if applied[group] == nil || c.hasNoNamespace(child) && text(request, "parent", "metadata", "namespace") != "" {
			continue // never observed
		}
		if text(child, "metadata", "name") == "" {
			continue // never created
		}
		before := object(at(observedGroups, group, key))
		after, what := c.applyChild(request, before, object(child))
		if after != nil {
			object(applied[group])[key] = after
		}
		if what != "" {
			writes = append(writes, Write{NameOf(child), what})
		}
	}
	for group, objects := range observedGroups {
		for key, child := range object(objects) {
			if !desired[group+key] {
				writes = append(writes, Write{NameOf(child), "is deleted"})
			}
		}
	}
	slices.SortFunc(writes, func(a, b Write) int { return strings.Compare(a.Child+a.What, b.Child+b.What) })
	next["children"] = applied
	parent, status := maps.Clone(object(request["parent"])), maps.Clone(object(answer["status"]))
	if status == nil {
		status = map[string]any{}
	}
	status["observedGeneration"] = at(parent, "metadata", "generation")
	if path, differs := merge.Changed(parent["status"], status); differs {
		writes = append(writes, Write{"", path})
	}
	parent["status"] = status
	next["parent"] = parent
	return next, writes
}

// applyChild returns the observed child after the write, nil after a deletion, and what was written.
func (c CRDs) applyChild(request, before, child map[string]any) (map[string]any, string) {
	desired := c.desiredChild(request, child)
	if before == nil {
		created := metacontroller.Created(desired)
		created.SetUID("00000000-0000-4000-8000-000000000002")
		created.SetGeneration(1)
		created.SetResourceVersion("1")
		return c.store(created)
	}
	method := c.UpdateMethod(request, child)
	if method != "InPlace" && method != "Recreate" {
		return before, ""
	}
	have := &unstructured.Unstructured{Object: before}
	after := metacontroller.Updated(have, desired)
	path, differs := merge.Changed(before, after.Object)
	if !differs {
		return before, ""
	}
	why := "because of " + path
	if last := metacontroller.LastApplied(have); last != nil {
		if own, differs := merge.Changed(clone(last), clone(metacontroller.LastApplied(after))); differs {
			why = "because the hook returns another " + own
		}
	}
	if method == "Recreate" {
		return nil, "is deleted and created again, " + why
	}
	stored, problem := c.store(after)
	if problem != created {
		return before, problem
	}
	if _, changed := merge.Changed(before, stored); !changed {
		return before, "is written without a change, " + why
	}
	version, _ := strconv.Atoi(have.GetResourceVersion())
	object(stored["metadata"])["resourceVersion"] = strconv.Itoa(version + 1)
	if !reflect.DeepEqual(before["spec"], stored["spec"]) {
		generation, _ := at(before, "metadata", "generation").(float64)
		object(stored["metadata"])["generation"] = generation + 1
	}
	return stored, "is updated, " + why
}

const (
	created = "is created"
	// maxAnnotations and maxObject are limits of the API server, and of etcd by default.
	maxAnnotations = 256 << 10
	maxObject      = 3 << 19
)

// store returns a child as the API server stores it, or why it refuses the child.
func (c CRDs) store(child *unstructured.Unstructured) (map[string]any, string) {
	if _, refused := c.problems(child.Object); len(refused) > 0 {
		return nil, "is refused by the API server: " + refused[0]
	}
	stored, err := apiserver.Stored(child)
	if err != nil {
		return nil, "is refused by the API server: " + err.Error()
	}
	annotations := 0
	for name, value := range stored.GetAnnotations() {
		annotations += len(name) + len(value)
	}
	switch size := len(encode(stored.Object)); {
	case annotations > maxAnnotations:
		return nil, fmt.Sprintf("is refused by the API server: %d bytes of annotations, with the one of Metacontroller", annotations)
	case size > maxObject:
		return nil, fmt.Sprintf("is refused by the API server: %d bytes", size)
	}
	result := clone(stored.Object)
	if crd := c.of(result); crd != nil {
		crd.store(result)
	}
	return result, created
}

// desiredChild returns a child with what Metacontroller adds.
func (c CRDs) desiredChild(request, child map[string]any) *unstructured.Unstructured {
	desired := &unstructured.Unstructured{Object: clone(child)}
	parent := object(request["parent"])
	if desired.GetNamespace() == "" {
		desired.SetNamespace(text(parent, "metadata", "namespace"))
	}
	if uid := text(parent, "metadata", "uid"); uid != "" && at(request, "controller", "spec", "generateSelector") == true {
		labels := desired.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[uidLabel] = uid
		desired.SetLabels(labels)
	}
	return desired
}

// uidLabel is the label of a generated selector.
const uidLabel = "controller-uid"

// groupOf returns Metacontroller's key of a kind, such as "Deployment.apps/v1".
func groupOf(child any) string { return text(child, "kind") + "." + text(child, "apiVersion") }

// keyOf returns the key of a child or a related object in its group.
func (c CRDs) keyOf(request map[string]any, of any) string {
	parent := text(request, "parent", "metadata", "namespace")
	each := &unstructured.Unstructured{Object: maps.Clone(object(of))}
	if c.hasNoNamespace(of) {
		each.SetNamespace("")
	} else if each.GetNamespace() == "" && object(of) != nil {
		each = each.DeepCopy()
		each.SetNamespace(parent)
	}
	return metacontroller.Key(isV2(request, "sync"), parent, each)
}

// isV2 reports whether a hook gets requests of version v2.
func isV2(request map[string]any, hook string) bool {
	return text(request, "controller", "spec", "hooks", hook, "version") == "v2"
}

// UpdateMethod returns the update method of the kind of a child, without Rolling; "" by default, which means OnDelete.
func (c CRDs) UpdateMethod(request map[string]any, child any) string {
	return strings.TrimPrefix(c.strategyOf(request, child), "Rolling")
}

// isRolling reports whether Metacontroller updates the children of a kind one after the other.
func (c CRDs) isRolling(request map[string]any, child any) bool {
	return strings.HasPrefix(c.strategyOf(request, child), "Rolling")
}

// strategyOf returns the method in updateStrategy of the kind of a child.
func (c CRDs) strategyOf(request map[string]any, child any) string {
	own := schema.FromAPIVersionAndKind(text(child, "apiVersion"), text(child, "kind"))
	for _, each := range list(at(request, "controller", "spec", "childResources")) {
		apiVersion, resource := text(each, "apiVersion"), text(each, "resource")
		kind, err := c.KindOf(apiVersion, resource)
		if kind == own || err != nil && apiVersion == own.GroupVersion().String() && resource == pluralOf(own) {
			return text(each, "updateStrategy", "method")
		}
	}
	return ""
}
