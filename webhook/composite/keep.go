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
// are compared. Those of a cache with proxies have 40 kB, and 1,900 values with its specs. Without a limit for specs, 80 children with 5,000 values
// take half a second.
const (
	maxKeptBytes  = 512 << 10
	maxKeptValues = 10_000
)

// controllerUID is a label that Metacontroller gives each child.
const controllerUID = "controller-uid"

// Keep returns the response for a parent with an invalid spec: the children as they were applied last, and a status with the cause. It returns the cause
// as a [ParentError], which changes nothing in the cluster either, in three cases: the last applied configuration of a child is unknown; an apply of it
// would write something, and the status before does not say that the spec was valid; or the status is too large to be stored.
func Keep[P, C, R, S any](request *Request[P, C, R], wasValid bool, status S, cause error) (Desired[S], error) {
	children, settled, err := request.LastApplied()
	if err != nil || !settled && !wasValid {
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

// LastApplied returns every observed child as Metacontroller applied it last, and whether an apply of all changes nothing. LastApplied returns an error if
// a child has no valid last applied configuration.
func (r *Request[P, C, R]) LastApplied() (children []runtime.Object, settled bool, err error) {
	parent := any(r.Parent).(metav1.Object)
	bytes, values := 0, 0
	settled = true
	for key, group := range groupsOf(&r.Children) {
		for i := range group.length() {
			observedChild := group.at(i)
			applied, err := appliedText(key, observedChild)
			if err != nil {
				return nil, false, err
			}
			updated, isUpdated := observedChild.(merge.Child) // Metacontroller does not update the others: Jobs
			bytes, values = bytes+len(applied), values+merge.CountValues(applied)
			if isUpdated {
				values += merge.CountValues(updated.SpecJSON())
			}
			if bytes > maxKeptBytes || values > maxKeptValues {
				return nil, false, fmt.Errorf("the last applied configurations and specs have more than %d bytes or %d values", maxKeptBytes, maxKeptValues)
			}
			child, err := lastApplied(key, observedChild.GetName(), applied, parent)
			if err != nil {
				return nil, false, fmt.Errorf("the last applied configuration of %s %s: %w", key, observedChild.GetName(), err)
			}
			children = append(children, child)
			settled = settled && (!isUpdated || merge.Settled(updated))
		}
	}
	return children, settled, nil
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
