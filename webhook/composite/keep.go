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
response has all children, with the fields that were applied last. They have the observed values: anybody who may edit a child may write anything into its
annotation, and what the API server changes would be written again after each event, for ever, and keep one of Metacontroller's workers.
*/

// maxKeptBytes and maxKeptValues limit the last applied configurations and specs of all children that stay. Those of a cache with proxies have 80 kB and
// 1,400 values.
const (
	maxKeptBytes  = 512 << 10
	maxKeptValues = 20_000
)

// controllerUID is a label that Metacontroller gives each child.
const controllerUID = "controller-uid"

// Keep returns the response for a parent with an invalid spec: the children as they are, and a status with the cause. If the last applied configuration of
// a child is unknown, Keep returns the cause as a [ParentError], which changes nothing in the cluster either.
func Keep[P, C, R, S any](request *Request[P, C, R], status S, cause error) (Desired[S], error) {
	children, err := request.Unchanged()
	if err != nil {
		return Desired[S]{}, &ParentError{Err: cause}
	}
	return Desired[S]{Status: status, Children: children}, nil
}

// Unchanged returns every observed child as it is, with the fields that Metacontroller applied last. A response with these children changes nothing in the
// cluster but the annotation with the last applied configuration. Unchanged returns an error if a child has no valid one.
func (r *Request[P, C, R]) Unchanged() ([]runtime.Object, error) {
	parent := any(r.Parent).(metav1.Object)
	var children []runtime.Object
	bytes, values := 0, 0
	for key, group := range groupsOf(&r.Children) {
		for i := range group.length() {
			child, err := keptOf(key, group.at(i))
			if err != nil {
				return nil, err
			}
			bytes, values = bytes+child.countBytes(), values+child.countValues()
			if bytes > maxKeptBytes || values > maxKeptValues {
				return nil, fmt.Errorf("the last applied configurations and the specs of the children have more than %d bytes or %d values", maxKeptBytes, maxKeptValues)
			}
			object, err := child.object(parent)
			if err != nil {
				return nil, err
			}
			children = append(children, object)
		}
	}
	return children, nil
}

// kept is an observed child that stays as it is.
type kept struct {
	key, name string
	applied   jsontext.Value
	observed  merge.Child // nil if Metacontroller does not update children of this kind
}

func keptOf(key string, object Object) (kept, error) {
	child := kept{key: key, name: object.GetName()}
	annotated, ok := object.(interface{ GetLastApplied() string })
	if !ok || annotated.GetLastApplied() == "" {
		return kept{}, fmt.Errorf("%s %s has no annotation %s", key, child.name, observed.LastAppliedAnnotation)
	}
	child.applied = jsontext.Value(annotated.GetLastApplied())
	child.observed, _ = object.(merge.Child)
	return child, nil
}

func (k kept) spec() jsontext.Value {
	if k.observed == nil {
		return nil
	}
	return k.observed.SpecJSON()
}

func (k kept) countBytes() int  { return len(k.applied) + len(k.spec()) }
func (k kept) countValues() int { return countValues(k.applied) + countValues(k.spec()) }

// object returns the child as a response has it.
func (k kept) object(parent metav1.Object) (*unstructured.Unstructured, error) {
	last, err := k.parse()
	if err != nil {
		return nil, fmt.Errorf("parsing the last applied configuration of %s %s: %w", k.key, k.name, err)
	}
	identity := unstructured.Unstructured{Object: last}
	namespace := identity.GetNamespace()
	if groupKey(identity.GroupVersionKind()) != k.key || identity.GetName() != k.name || namespace != "" && namespace != parent.GetNamespace() {
		return nil, fmt.Errorf("the last applied configuration of %s %s is that of %s %s", k.key, k.name, text.Value(identity.GetKind()), text.Value(identity.GetName()))
	}
	have := last
	if k.observed != nil {
		if have, err = k.have(); err != nil {
			return nil, err
		}
	}
	object := &unstructured.Unstructured{Object: merge.Agreed(have, last)}
	object.SetGroupVersionKind(identity.GroupVersionKind())
	object.SetNamespace(parent.GetNamespace())
	object.SetName(k.name)
	if uid := object.GetLabels()[controllerUID]; uid != string(parent.GetUID()) { // Metacontroller refuses that of another parent, which an adopted child has
		unstructured.RemoveNestedField(object.Object, "metadata", "labels", controllerUID)
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", observed.LastAppliedAnnotation) // it would grow with each sync
	return object, nil
}

// parse returns the last applied configuration.
func (k kept) parse() (map[string]any, error) {
	if text.IsDeep(k.applied) {
		return nil, text.ErrDeep
	}
	if !k.applied.IsValid() {
		return nil, errors.New("it is not valid JSON")
	}
	return parse(k.applied)
}

// have returns the parts of the observed child that are compared.
func (k kept) have() (map[string]any, error) {
	object := map[string]any{"metadata": map[string]any{"labels": anyMap(k.observed.GetLabels()), "annotations": anyMap(k.observed.GetAnnotations())}}
	if spec := k.spec(); len(spec) > 0 {
		var err error
		if object["spec"], err = parse(spec); err != nil {
			return nil, fmt.Errorf("parsing the spec of %s %s: %w", k.key, k.name, err)
		}
	}
	return object, nil
}

// parse returns a valid JSON object whose numbers stay text.
func parse(document jsontext.Value) (object map[string]any, err error) {
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	decoder.UseNumber()
	err = decoder.Decode(&object)
	return object, err
}

func anyMap(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for key, value := range texts {
		values[key] = value
	}
	return values
}
