package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/text"
)

/*
The children of an invalid parent stay as they are.

Metacontroller deletes each child that a response does not have, and removes each field that it applied last and that is no longer desired. So the
response has all children as they were applied last. But anybody who may edit a child may write anything into its annotation, and what the API server or
another controller changes would be written again after each event, for ever, and keep one of Metacontroller's workers. So there is a response only if an
apply writes nothing, and once when the spec becomes invalid: a policy of the cluster may change each child that is applied.
*/

// maxKeptBytes and maxKeptValues limit the last applied configurations of all children that stay, and the values also their observed specs, with which they
// are compared. Those of a cache with proxies have 40 kB, and 1,900 values with its specs; with metrics and 64 peers that have two labels each, 5,000 values.
// Without a limit for specs, 80 children with 5,000 values take half a second. With 10,000 values, a tenant with 480 caches delays others for seconds: the
// hook needs more time for such a sync than Metacontroller.
const (
	maxKeptBytes  = 512 << 10
	maxKeptValues = 7_000
)

// controllerUID is a label that Metacontroller gives each child.
const controllerUID = "controller-uid"

// Keep returns the response for a parent with an invalid spec: the children as they were applied last, and a status with the cause. It returns the cause
// as a [ParentError], which changes nothing in the cluster either, in three cases: the last applied configuration of a child is unknown, or all are too
// large; an apply would write something, and the status before does not say that the spec was valid; or the status is too large to be stored.
func Keep[P, C, R, S any](request *Request[P, C, R], wasValid bool, status S, cause error) (Desired[S], error) {
	children, err := request.LastApplied(wasValid)
	if err != nil {
		return Desired[S]{}, &ParentError{Err: cause}
	}
	encoded, err := json.Marshal(status)
	if err != nil {
		return Desired[S]{}, fmt.Errorf("encoding the status: %w", err)
	}
	if len(encoded) > MaxStatusBytes {
		return Desired[S]{}, &ParentError{Err: cause}
	}
	return Desired[S]{Status: status, Children: children}, nil
}

// LastApplied returns every observed child as Metacontroller applied it last. It returns an error if a child has no valid last applied configuration, if
// all are too large, or if an apply of a child would write something and mayWrite is false.
func (r *Request[P, C, R]) LastApplied(mayWrite bool) ([]runtime.Object, error) {
	all, err := keptOf(&r.Children)
	if err != nil {
		return nil, err
	}
	for _, each := range all {
		if updated, isUpdated := each.object.(merge.Child); isUpdated && !mayWrite && !merge.Settled(updated) {
			return nil, fmt.Errorf("an apply would write %s %s", each.key, each.object.GetName())
		}
	}
	var children []runtime.Object
	for _, each := range all {
		child, err := lastApplied(each.key, each.object.GetName(), each.applied, any(r.Parent).(metav1.Object))
		if err != nil {
			return nil, fmt.Errorf("the last applied configuration of %s %s: %w", each.key, each.object.GetName(), err)
		}
		children = append(children, child)
	}
	return children, nil
}

// kept is an observed child with its last applied configuration.
type kept struct {
	key     string
	object  Object
	applied jsontext.Value
}

// keptOf returns the observed children. It returns an error if a configuration is unknown, or if they are too large.
func keptOf[C any](children *C) (all []kept, err error) {
	bytes, values := 0, 0
	for key, group := range groupsOf(children) {
		for i := range group.length() {
			object := group.at(i)
			applied, err := appliedText(key, object)
			if err != nil {
				return nil, err
			}
			bytes, values = bytes+len(applied), values+merge.CountValues(applied)
			if updated, isUpdated := object.(merge.Child); isUpdated { // Metacontroller does not update the others: Jobs
				values += merge.CountValues(updated.SpecJSON())
			}
			if bytes > maxKeptBytes || values > maxKeptValues {
				return nil, fmt.Errorf("the last applied configurations and specs have more than %d bytes or %d values", maxKeptBytes, maxKeptValues)
			}
			all = append(all, kept{key, object, applied})
		}
	}
	return all, nil
}

func appliedText(key string, object Object) (jsontext.Value, error) {
	annotated, ok := object.(interface{ GetLastApplied() string })
	if !ok || annotated.GetLastApplied() == "" {
		return nil, fmt.Errorf("%s %s has no annotation %s", key, object.GetName(), observed.LastAppliedAnnotation)
	}
	return jsontext.Value(annotated.GetLastApplied()), nil
}

// lastApplied returns the parts of a last applied configuration that the operator sets.
func lastApplied(key, name string, applied jsontext.Value, parent metav1.Object) (*unstructured.Unstructured, error) {
	last, err := parse(applied)
	if err != nil {
		return nil, err
	}
	namespace := last.GetNamespace()
	if groupKey(last.GroupVersionKind()) != key || last.GetName() != name || namespace != "" && namespace != parent.GetNamespace() {
		return nil, fmt.Errorf("it is that of %s %s", text.Value(last.GetKind()), text.Value(last.GetName()))
	}
	labels, _, err := unstructured.NestedStringMap(last.Object, "metadata", "labels")
	if err != nil {
		return nil, err
	}
	annotations, _, err := unstructured.NestedStringMap(last.Object, "metadata", "annotations")
	if err != nil {
		return nil, err
	}
	if labels[controllerUID] != string(parent.GetUID()) { // Metacontroller refuses the UID of another parent, which an adopted child has
		delete(labels, controllerUID)
	}
	delete(annotations, observed.LastAppliedAnnotation) // it would grow with each sync
	child := &unstructured.Unstructured{Object: map[string]any{"spec": last.Object["spec"]}}
	child.SetGroupVersionKind(last.GroupVersionKind())
	child.SetNamespace(parent.GetNamespace())
	child.SetName(name)
	child.SetLabels(labels)
	child.SetAnnotations(annotations)
	return child, nil
}

// parse returns an object whose numbers stay text.
func parse(document jsontext.Value) (*unstructured.Unstructured, error) {
	if text.IsDeep(document) {
		return nil, text.ErrDeep
	}
	if !document.IsValid() {
		return nil, errors.New("it is not valid JSON")
	}
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	decoder.UseNumber()
	object := &unstructured.Unstructured{}
	err := decoder.Decode(&object.Object)
	return object, err
}
