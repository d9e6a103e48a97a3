package check

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/internal/apiserver"
	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/merge"
)

// Write is a write of Metacontroller. Child is the kind and name; "" for the status of the parent.
type Write struct{ Child, What string }

const rounds = 20

// settle applies responses until Metacontroller writes nothing. No other controller acts: the children have no status.
func (s *Subject) settle(e *exchange) {
	e.settled, e.last = e.Case, e.answer
	for range rounds {
		e.settled.Request, e.writes = Apply(e.settled.Request, e.last)
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
func Apply(request, answer map[string]any) (map[string]any, []Write) {
	next := maps.Clone(request)
	observedGroups, applied := object(request["children"]), map[string]any{}
	for group := range observedGroups {
		applied[group] = map[string]any{}
	}
	var writes []Write
	desired := map[string]bool{}
	for _, child := range list(answer["children"]) {
		group, key := groupOf(child), keyOf(request, child)
		desired[group+key] = true
		if applied[group] == nil {
			continue // not listed, so never observed
		}
		before := object(at(observedGroups, group, key))
		after, what := applyChild(request, before, object(child))
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
func applyChild(request, before, child map[string]any) (map[string]any, string) {
	desired := desiredChild(request, child)
	if before == nil {
		created := requests.Created(desired)
		created.SetUID("00000000-0000-4000-8000-000000000002")
		created.SetGeneration(1)
		return store(created)
	}
	method := UpdateMethod(request, child)
	if method != "InPlace" && method != "Recreate" {
		return before, ""
	}
	after := requests.Updated(&unstructured.Unstructured{Object: before}, desired)
	path, differs := merge.Changed(before, after.Object)
	if !differs {
		return before, ""
	}
	if method == "Recreate" {
		return nil, "is deleted and created again, because of " + path
	}
	if !reflect.DeepEqual(before["spec"], after.Object["spec"]) {
		generation, _ := at(before, "metadata", "generation").(float64) // an object of a request has no int64
		after.SetGeneration(int64(generation) + 1)
	}
	stored, problem := store(after)
	if problem != "is created" {
		return before, problem
	}
	return stored, "is updated, because of " + path
}

func store(child *unstructured.Unstructured) (map[string]any, string) {
	stored, err := apiserver.Stored(child)
	if err != nil {
		return nil, "is refused by the API server: " + err.Error()
	}
	return clone(stored.Object), "is created"
}

// desiredChild returns a child with what Metacontroller adds.
func desiredChild(request, child map[string]any) *unstructured.Unstructured {
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
		labels["controller-uid"] = uid
		desired.SetLabels(labels)
	}
	return desired
}

// groupOf returns Metacontroller's key of a kind, such as "Deployment.apps/v1".
func groupOf(child any) string { return text(child, "kind") + "." + text(child, "apiVersion") }

// keyOf returns the key of a child in its group.
func keyOf(request map[string]any, child any) string {
	parent, namespace := text(request, "parent", "metadata", "namespace"), text(child, "metadata", "namespace")
	if namespace == "" {
		namespace = parent
	}
	if namespace == "" || version(request) != "v2" && parent != "" {
		return text(child, "metadata", "name")
	}
	return namespace + "/" + text(child, "metadata", "name")
}

func version(request map[string]any) string {
	return strings.ToLower(text(request, "controller", "spec", "hooks", "sync", "version"))
}

// UpdateMethod returns the update method of the kind of a child; OnDelete by default.
func UpdateMethod(request map[string]any, child any) string {
	for _, each := range list(at(request, "controller", "spec", "childResources")) {
		if text(each, "apiVersion") == text(child, "apiVersion") && isResourceOf(text(each, "resource"), child) {
			return strings.Replace(text(each, "updateStrategy", "method"), "Rolling", "", 1)
		}
	}
	return ""
}

// isResourceOf reports whether a resource, such as "deployments", is that of an object's kind.
func isResourceOf(resource string, of any) bool {
	plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(text(of, "apiVersion"), text(of, "kind")))
	return plural.Resource == resource
}
