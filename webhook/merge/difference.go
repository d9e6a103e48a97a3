// Package merge reports what Metacontroller's apply of a desired child would change in the observed child.
package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/text"
)

// Child is an observed child of any kind.
type Child interface {
	GetLabels() map[string]string
	GetAnnotations() map[string]string
	// GetLastApplied returns the JSON of the child as the hook returned it last; "" if it is unknown.
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
	Spec jsontext.Value `json:"spec,omitzero"`
}

// Difference is what an apply of a desired child would change in the observed child.
type Difference struct {
	// Changes are in the order of [Changes]; none if an apply changes nothing. If the desired child is not the one that was applied
	// last, they are the changes since then, because others may have changed more.
	Changes []Change
	// Applied reports whether the desired child was applied last, so somebody else has changed the observed one since.
	Applied bool
}

// Compare returns what an apply of the desired child would change in the observed child. It compares spec, labels and annotations, and
// ignores fields that the operator does not set. It compares spec first, because a change of the parent also changes annotations of the
// operator, which mean nothing to a user.
func Compare(desired runtime.Object, child Child) (Difference, error) {
	want, err := desiredForm(desired)
	if err != nil {
		return Difference{}, err
	}
	last := appliedForm(child)
	changes, err := compare(observedForm(child), last, want)
	if err != nil || len(changes) == 0 || len(last.Spec) == 0 {
		return Difference{Changes: changes}, err
	}
	if since, err := compare(last, last, want); err != nil || len(since) > 0 {
		return Difference{Changes: since}, err
	}
	return Difference{Changes: changes, Applied: true}, nil
}

// Settled reports whether an apply of what was applied last changes nothing in the observed child. It reports false if that is unknown.
func Settled(child Child) bool {
	last := appliedForm(child)
	if len(last.Spec) == 0 {
		return false
	}
	have := observedForm(child)
	if !have.hasMetadata(last, last) { // an apply writes all of last
		return false
	}
	changes, err := compare(have, last, last)
	return err == nil && len(changes) == 0
}

// TemplateApplied reports whether a workload has the pod template, whatever somebody else has changed in it since it was applied. If what
// was applied last is unknown, the observed template counts.
func TemplateApplied(template *corev1.PodTemplateSpec, child Child) (bool, error) {
	applied := appliedForm(child)
	have := applied
	if len(applied.Spec) == 0 {
		have = observedForm(child)
	}
	want, err := canonical(template)
	if err != nil {
		return false, fmt.Errorf("reading the desired pod template: %w", err)
	}
	changes, err := compare(templateOf(have), templateOf(applied), form{Spec: want})
	return len(changes) == 0, err
}

// templateOf returns the pod template of a workload.
func templateOf(whole form) form {
	var spec struct {
		Template jsontext.Value `json:"template"`
	}
	_ = jsonv2.Unmarshal(whole.Spec, &spec, jsontext.AllowDuplicateNames(true)) // valid JSON; a template that is not an object is a difference
	return form{Spec: spec.Template}
}

// desiredForm returns the desired child as the response has it.
func desiredForm(desired runtime.Object) (form, error) {
	var want form
	object := desired.(metav1.Object)
	want.Metadata.Labels, want.Metadata.Annotations = object.GetLabels(), object.GetAnnotations()
	var err error
	if want.Spec, err = canonical(specOf(desired)); err != nil {
		return form{}, fmt.Errorf("reading the desired %s: %w", object.GetName(), err)
	}
	return want, nil
}

// canonical returns a value as JSON with the members in the order of Metacontroller. A Go value has no duplicate names.
func canonical(value any) (jsontext.Value, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	document := jsontext.Value(encoded)
	return document, document.Canonicalize(jsontext.AllowDuplicateNames(true))
}

// specOf returns the spec of a child of any kind; a pointer to it, because a copy of a pod template is large.
func specOf(desired runtime.Object) any {
	if fields, ok := desired.(*unstructured.Unstructured); ok {
		return fields.Object["spec"]
	}
	return reflect.ValueOf(desired).Elem().FieldByName("Spec").Addr().Interface()
}

func observedForm(child Child) form {
	have := form{Spec: child.SpecJSON()}
	have.Metadata.Labels, have.Metadata.Annotations = child.GetLabels(), child.GetAnnotations()
	return have
}

// appliedForm returns the child as it was applied last, without the label controller-uid, which Metacontroller adds; the zero form when it is
// unknown, or has more values or levels than any child. Metacontroller itself reports an invalid annotation.
func appliedForm(child Child) form {
	var last form
	applied := child.GetLastApplied()
	if CountValues(applied) > maxValues || text.IsDeep(applied) {
		return form{}
	}
	if err := jsonv2.UnmarshalRead(strings.NewReader(applied), &last); err != nil {
		return form{}
	}
	delete(last.Metadata.Labels, "controller-uid")
	return last
}

// AppliedAnnotations returns the annotations of a child that were applied last. It decodes only a child that had any.
func AppliedAnnotations(child Child) map[string]string {
	if !strings.Contains(child.GetLastApplied(), `"annotations"`) {
		return nil
	}
	return appliedForm(child).Metadata.Annotations
}

// maxValues is the number of values in specs, labels and annotations that are compared field by field. A child has hundreds. Who may edit it
// can give it 200,000 in a list, and those would take 260 MiB, or 60,000 labels, which the API server does not limit. With 20,000, those of ten
// children that are compared at the same time take 166 MiB.
const maxValues = 5_000

// CountValues returns about the number of values in a valid JSON text.
func CountValues[T ~string | ~[]byte](document T) int { return text.CountInJSON(document, ",{[") }

// countValues returns about the number of values in a form.
func (f form) countValues() int {
	return CountValues(f.Spec) + len(f.Metadata.Labels) + len(f.Metadata.Annotations)
}

// compare returns the changes of an apply. It decodes specs only when they may differ, which is rare.
func compare(have, last, want form) ([]Change, error) {
	if unchanged(have, last, want) {
		return nil, nil
	}
	if have.countValues()+last.countValues()+want.countValues() > maxValues {
		return []Change{{Path: "spec"}}, nil
	}
	applied, err := last.object()
	if err != nil {
		return []Change{{Path: "spec"}}, nil //nolint:nilerr // somebody has written a number that is too large into the annotation
	}
	observed, err := have.object()
	if err != nil {
		return nil, err
	}
	wanted, err := want.object()
	if err != nil {
		return nil, err
	}
	merged := Apply(observed, applied, wanted)
	var changes []Change
	for _, part := range [][]string{{"spec"}, {"metadata", "labels"}, {"metadata", "annotations"}} {
		before, _, _ := unstructured.NestedFieldNoCopy(observed, part...)
		after, _, _ := unstructured.NestedFieldNoCopy(merged, part...)
		for change := range Changes(before, after) {
			change.Path = join(strings.Join(part, "."), change.Path)
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// object returns a form as [Apply] needs it.
func (f form) object() (object map[string]any, err error) {
	encoded, err := jsonv2.Marshal(f, jsontext.AllowDuplicateNames(true))
	if err == nil {
		err = jsonv2.Unmarshal(encoded, &object, jsontext.AllowDuplicateNames(true))
	}
	if err != nil {
		return nil, fmt.Errorf("reading a child: %w", err)
	}
	return object, nil
}

// unchanged reports that an apply changes nothing. If it returns false, [Apply] decides.
func unchanged(have, last, want form) bool {
	return have.hasMetadata(last, want) && (len(last.Spec) == 0 || bytes.Equal(last.Spec, want.Spec)) && contains(have.Spec, want.Spec)
}

// hasMetadata is [unchanged] for labels and annotations.
func (f form) hasMetadata(last, want form) bool {
	return hasStrings(f.Metadata.Labels, last.Metadata.Labels, want.Metadata.Labels) &&
		hasStrings(f.Metadata.Annotations, last.Metadata.Annotations, want.Metadata.Annotations)
}

func hasStrings(have, last, want map[string]string) bool {
	for key := range last {
		if _, wanted := want[key]; !wanted {
			return false
		}
	}
	for key, value := range want {
		if got, found := have[key]; !found || got != value {
			return false
		}
	}
	return true
}
