// Package merge reports what Metacontroller's apply of a desired child would change in the observed child.
package merge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Observed is an observed child of any kind.
type Observed interface {
	GetLabels() map[string]string
	GetAnnotations() map[string]string
	// GetLastApplied returns the JSON of the child as the hook returned it last; "" when it is unknown.
	GetLastApplied() string
	// SpecJSON returns the observed spec.
	SpecJSON() jsontext.Value
}

// form is the part of a child that is compared.
type form struct {
	Metadata struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec jsontext.Value `json:"spec"`
}

// Difference returns the path of a field that an apply of the desired child would change in the observed child; "" when
// there is none. It compares spec, labels and annotations, and ignores fields that the operator does not set. It compares spec
// first, because a change of the parent also changes annotations of the operator, which mean nothing to a user.
//
// It follows Metacontroller's three-way merge. A field that was applied last and is no longer desired is removed. Lists
// whose items all have the same key are merged item by item. All other lists are replaced.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/dynamic/apply/apply.go
func Difference(desired runtime.Object, child Observed) (string, error) {
	want, err := desiredForm(desired)
	if err != nil {
		return "", err
	}
	have, last := observedForm(child), appliedForm(child)
	if path, err := specDifference(have, last, want); path != "" || err != nil {
		return path, err
	}
	for _, part := range []struct {
		path             string
		have, last, want map[string]string
	}{
		{"metadata.labels", have.Metadata.Labels, last.Metadata.Labels, want.Metadata.Labels},
		{"metadata.annotations", have.Metadata.Annotations, last.Metadata.Annotations, want.Metadata.Annotations},
	} {
		if key, differs := stringsDifference(part.have, part.last, part.want); differs {
			return join(part.path, key), nil
		}
	}
	return "", nil
}

// TemplateDifference is [Difference] for the pod template of a workload only. A change of the template replaces every pod.
func TemplateDifference(desired runtime.Object, child Observed) (string, error) {
	want, err := desiredForm(desired)
	if err != nil {
		return "", err
	}
	return specDifference(templateOf(observedForm(child)), templateOf(appliedForm(child)), templateOf(want))
}

// TemplateChange is [TemplateDifference] from the pod template that was applied last, so that it does not report what somebody else has
// changed. If it is unknown, it is the observed one.
func TemplateChange(desired runtime.Object, child Observed) (string, error) {
	applied := appliedForm(child)
	if len(applied.Spec) == 0 {
		return TemplateDifference(desired, child)
	}
	want, err := desiredForm(desired)
	if err != nil {
		return "", err
	}
	last := templateOf(applied)
	return specDifference(last, last, templateOf(want))
}

// templateOf returns the pod template of a workload.
func templateOf(whole form) form {
	var spec struct {
		Template jsontext.Value `json:"template"`
	}
	_ = jsonv2.Unmarshal(whole.Spec, &spec) // valid JSON; a template that is not an object is a difference
	return form{Spec: spec.Template}
}

// desiredForm returns the desired child as the response has it.
func desiredForm(desired runtime.Object) (form, error) {
	var want form
	object := desired.(metav1.Object)
	want.Metadata.Labels, want.Metadata.Annotations = object.GetLabels(), object.GetAnnotations()
	spec, err := json.Marshal(specOf(desired))
	if err == nil {
		want.Spec = spec
		// Canonicalize sorts the members as Metacontroller does. A Go value has no duplicate names.
		err = want.Spec.Canonicalize(jsontext.AllowDuplicateNames(true))
	}
	if err != nil {
		return form{}, fmt.Errorf("reading the desired %s: %w", object.GetName(), err)
	}
	return want, nil
}

// specOf returns the spec of a child of any kind; a pointer to it, because a copy of a pod template is large.
func specOf(desired runtime.Object) any {
	if fields, ok := desired.(*unstructured.Unstructured); ok {
		return fields.Object["spec"]
	}
	return reflect.ValueOf(desired).Elem().FieldByName("Spec").Addr().Interface()
}

func observedForm(child Observed) form {
	have := form{Spec: child.SpecJSON()}
	have.Metadata.Labels, have.Metadata.Annotations = child.GetLabels(), child.GetAnnotations()
	return have
}

// appliedForm returns the child as it was applied last, without the label controller-uid, which Metacontroller adds; the
// zero form when it is unknown. Metacontroller itself reports an invalid annotation.
func appliedForm(child Observed) form {
	var last form
	if err := jsonv2.UnmarshalRead(strings.NewReader(child.GetLastApplied()), &last); err != nil {
		return form{}
	}
	delete(last.Metadata.Labels, "controller-uid")
	return last
}

// AppliedAnnotations returns the annotations of a child that were applied last. It decodes only a child that had any.
func AppliedAnnotations(child Observed) map[string]string {
	if !strings.Contains(child.GetLastApplied(), `"annotations"`) {
		return nil
	}
	return appliedForm(child).Metadata.Annotations
}

// stringsDifference returns the first key, in sorted order, whose value an apply would change.
func stringsDifference(have, last, want map[string]string) (first string, differs bool) {
	changes := func(key string) {
		if !differs || key < first {
			first, differs = key, true
		}
	}
	for key, value := range want {
		if got, found := have[key]; !found || got != value {
			changes(key)
		}
	}
	for key := range last {
		_, wanted := want[key]
		_, there := have[key]
		if there && !wanted {
			changes(key)
		}
	}
	return first, differs
}

// specDifference compares specs. It decodes them only when they may differ, which is rare.
func specDifference(have, last, want form) (string, error) {
	if contains(have.Spec, want.Spec) && contains(want.Spec, last.Spec) {
		return "", nil
	}
	specs := [3]any{}
	for i, text := range []jsontext.Value{have.Spec, last.Spec, want.Spec} {
		if len(text) == 0 {
			continue
		}
		if err := jsonv2.Unmarshal(text, &specs[i]); err != nil {
			return "", fmt.Errorf("reading a spec: %w", err)
		}
	}
	path, differs := difference(specs[0], specs[1], specs[2])
	if !differs {
		return "", nil
	}
	return join("spec", path), nil
}

// difference returns the path at which a value differs, and whether it differs.
func difference(have, last, want any) (path string, differs bool) {
	switch want := want.(type) {
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok {
			return "", true
		}
		last, _ := last.(map[string]any)
		return objectDifference(have, last, want)
	case []any:
		have, ok := have.([]any)
		if !ok {
			return "", true
		}
		last, _ := last.([]any)
		return listDifference(have, last, want)
	}
	return "", !reflect.DeepEqual(have, want)
}

// objectDifference returns the first path in sorted order, so that the message of a difference is stable.
func objectDifference(have, last, want map[string]any) (first string, differs bool) {
	at := func(path string) {
		if !differs || path < first {
			first, differs = path, true
		}
	}
	for key := range last {
		_, wanted := want[key]
		_, there := have[key]
		if there && !wanted {
			at(key)
		}
	}
	for key, value := range want {
		if path, differs := difference(have[key], last[key], value); differs {
			at(join(key, path))
		}
	}
	return first, differs
}

func join(path, below string) string {
	if below == "" {
		return path
	}
	return path + "." + below
}
