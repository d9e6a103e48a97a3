package merge

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

// desiredChild returns a desired child with this metadata and spec.
func desiredChild(t *testing.T, metadata, spec string) *unstructured.Unstructured {
	t.Helper()
	var object unstructured.Unstructured
	if err := jsonv2.Unmarshal([]byte(`{"apiVersion":"v1","kind":"X","metadata":`+metadata+`,"spec":`+spec+`}`), &object.Object); err != nil {
		t.Fatal(err)
	}
	return &object
}

// firstChange returns the path of the first change; "" if an apply changes nothing.
func firstChange(desired runtime.Object, child Child) (string, error) {
	difference, err := Compare(desired, child)
	if err != nil || len(difference.Changes) == 0 {
		return "", err
	}
	return difference.Changes[0].Path, nil
}

func TestCompare(t *testing.T) {
	cases := []struct {
		reason                  string
		desired, last, observed string
		want                    string
	}{
		{"equal", `{"a":1}`, ``, `{"a":1}`, ""},
		{"the API server set a default", `{"a":1}`, ``, `{"a":1,"b":2}`, ""},
		{"another value", `{"a":1}`, ``, `{"a":2}`, "spec.a"},
		{"another type", `{"a":"1"}`, ``, `{"a":1}`, "spec.a"},
		{"a field is missing", `{"a":{"b":1}}`, ``, `{"a":{}}`, "spec.a.b"},
		{"an empty list in place of an empty map", `{"a":{}}`, ``, `{"a":[]}`, "spec.a"},
		{"Metacontroller keeps a map in place of a list", `{"a":[]}`, ``, `{"a":{}}`, ""},
		{"an empty map is missing", `{"a":{}}`, ``, `{}`, "spec.a"},
		{"names that are there twice", `{"a":1}`, ``, `{"a":2,"b":1,"b":2}`, "spec.a"},
		{"the first of many differences, in whatever order a map yields them", `{"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1}`, ``, `{}`, "spec.b"},
		{"an object in an item without a key has more", `{"l":[{"from":{"a":1}}]}`, ``, `{"l":[{"from":{"a":1,"b":2}}]}`, "spec.l"},
		{"members in another order", `{"b":1,"a":1}`, ``, `{"b":1,"a":1}`, ""},
		{"a field that is no longer desired is removed", `{}`, `{"a":1}`, `{"a":1}`, "spec.a"},
		{"somebody has written a number into the annotation that nothing can read", `{"a":1}`, `{"b":1e999}`, `{"a":1}`, "spec"},
		{"lists of values are replaced", `{"l":[1,2]}`, ``, `{"l":[1,2,3]}`, "spec.l"},
		{"a list is missing", `{"l":[1]}`, ``, `{}`, "spec.l"},
		{"items with a key are merged", `{"l":[{"name":"a","v":1}]}`, ``, `{"l":[{"name":"b"},{"name":"a","v":1,"d":2}]}`, ""},
		{"items with a key are compared one by one", `{"l":[{"name":"a","v":1}]}`, ``, `{"l":[{"name":"a","v":2}]}`, "spec.l.a.v"},
		{"an item that is no longer desired is removed", `{"l":[{"name":"a"}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`, "spec.l.b"},
		{"the key port takes precedence over name", `{"l":[{"name":"a","port":1}]}`, ``, `{"l":[{"name":"b","port":1}]}`, "spec.l.1.name"},
		{"more values than a child has are not compared one by one", `{"a":1}`, ``, `{"a":2,"l":[0` + strings.Repeat(",0", maxValues) + `]}`, "spec"},
		{"so are objects in objects", `{"a":1}`, ``, `{"a":2,"l":[0` + strings.Repeat(`,{"a":{"b":{"c":0}}}`, maxValues/4) + `]}`, "spec"},
		{"large numbers", `{"a":9007199254740993}`, ``, `{"a":9007199254740993}`, ""},
	}
	for _, test := range cases {
		have := &observed.Child{Spec: []byte(test.observed)}
		if test.last != "" {
			have.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"spec":` + test.last + `}`}
		}
		got, err := firstChange(desiredChild(t, `{}`, test.desired), have)
		if got != test.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
	}
}

func TestCompareMetadata(t *testing.T) {
	applied := map[string]string{observed.LastAppliedAnnotation: `{"metadata":{"labels":{"a":"1","controller-uid":"x"},"annotations":{"b":"2"}}}`, "b": "2", "other": "3"}
	cases := []struct{ reason, metadata, want string }{
		{"labels and annotations match, and there are others", `{"labels":{"a":"1"},"annotations":{"b":"2"}}`, ""},
		{"another value of a label", `{"labels":{"a":"2"},"annotations":{"b":"2"}}`, "metadata.labels.a"},
		{"an annotation is missing", `{"labels":{"a":"1"},"annotations":{"b":"2","c":"3"}}`, "metadata.annotations.c"},
		{"an annotation that is no longer desired", `{"labels":{"a":"1"},"annotations":{}}`, "metadata.annotations.b"},
		{"the first of many differences, in whatever order a map yields them", `{"labels":{"h":"1","g":"1","f":"1","e":"1","d":"1","c":"1","b":"1"}}`, "metadata.labels.a"},
		{"an annotation that another owner changed", `{"labels":{"a":"1"},"annotations":{"b":"2","other":"4"}}`, "metadata.annotations.other"},
	}
	for _, test := range cases {
		have := &observed.Child{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Labels: map[string]string{"a": "1", "controller-uid": "x"}}, Annotations: applied}, Spec: []byte(`{}`)}
		got, err := firstChange(desiredChild(t, test.metadata, `{}`), have)
		if got != test.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
	}
}

// TestCompareManyLabels checks that labels, whose number the API server does not limit, are compared one by one only if a child can have as many.
func TestCompareManyLabels(t *testing.T) {
	many := map[string]string{"a": "1"}
	for i := range maxValues {
		many[strconv.Itoa(i)] = ""
	}
	text, err := jsonv2.Marshal(map[string]any{"metadata": map[string]any{"labels": many}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, applied, want string }{
		{"observed labels", `{}`, "spec"},
		{"labels that were applied last count as unknown", string(text), "spec"},
		{"a text that is nested deeply counts as unknown", `{"metadata":{"labels":{"a":"1"}},"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "spec"},
	} {
		have := &observed.Child{ChildMeta: observed.ChildMeta{Meta: observed.Meta{Labels: many}, Annotations: map[string]string{observed.LastAppliedAnnotation: test.applied}}, Spec: []byte(`{}`)}
		if got, err := firstChange(desiredChild(t, `{"labels":{"a":"2"}}`, `{}`), have); got != test.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
		if last := appliedForm(have); len(last.Metadata.Labels) > 0 {
			t.Errorf("%s: %d labels of what was applied last are decoded", test.reason, len(last.Metadata.Labels))
		}
	}
}

// TestCompareNamesSpecFirst: a change of the parent changes its generation in an annotation too, which a user cannot interpret.
func TestCompareNamesSpecFirst(t *testing.T) {
	const desired = `{"annotations":{"memcached-operator.example.com/parent-generation":"2"},"labels":{"a":"1"}}`
	got, err := firstChange(desiredChild(t, desired, `{"replicas":2}`), &observed.Child{Spec: []byte(`{"replicas":1}`)})
	if got != "spec.replicas" || err != nil {
		t.Errorf("got %q, %v, want spec.replicas", got, err)
	}
}

// TestCompareIgnoresInvalidAnnotation: Metacontroller reports it, and the hook still has to return a status.
func TestCompareIgnoresInvalidAnnotation(t *testing.T) {
	have := &observed.Child{ChildMeta: observed.ChildMeta{Annotations: map[string]string{observed.LastAppliedAnnotation: `{"spec":`}}, Spec: []byte(`{"a":1}`)}
	if got, err := firstChange(desiredChild(t, `{}`, `{"a":1}`), have); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestCompareSinceApply distinguishes a change of the desired child from what somebody else has changed since it was applied.
func TestCompareSinceApply(t *testing.T) {
	const applied = `{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}],"tolerations":[{"key":"k"}]}`
	cases := []struct {
		reason, desired, last, observed string
		want                            Difference
	}{
		{"nobody has changed it", applied, applied, applied, Difference{}},
		{"a webhook has changed two images, and others have added to what is not desired", applied, applied,
			`{"containers":[{"name":"a","image":"r/x"},{"name":"b","image":"r/y"},{"name":"c","image":"z"}],"tolerations":[{"key":"k"}],"hostname":"h"}`,
			Difference{Applied: true, Changes: []Change{{"spec.containers.a.image", "r/x", "x"}, {"spec.containers.b.image", "r/y", "y"}}}},
		{"a list without a key is one field", applied, applied, strings.Replace(applied, `[{"key":"k"}]`, `[]`, 1),
			Difference{Applied: true, Changes: []Change{{"spec.tolerations", []any{}, []any{map[string]any{"key": "k"}}}}}},
		{"a field is missing", `{"a":"1"}`, `{"a":"1"}`, `{}`, Difference{Applied: true, Changes: []Change{{"spec.a", nil, "1"}}}},
		{"the desired child is not applied yet, or was refused", `{"a":"1"}`, `{"a":"2"}`, `{"a":"2"}`, Difference{Changes: []Change{{"spec.a", "2", "1"}}}},
		{"a webhook changes the first field, and the API server refuses a change of the second", `{"a":"1","b":"2"}`, `{"a":"1","b":"1"}`, `{"a":"3","b":"1"}`,
			Difference{Changes: []Change{{"spec.b", "1", "2"}}}},
		{"what was applied last is unknown", `{"a":"1"}`, ``, `{"a":"2"}`, Difference{Changes: []Change{{"spec.a", "2", "1"}}}},
	}
	for _, test := range cases {
		have := &observed.Child{Spec: []byte(test.observed)}
		if test.last != "" {
			have.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"spec":` + test.last + `}`}
		}
		got, err := Compare(desiredChild(t, `{}`, test.desired), have)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.reason, err, diff)
		}
	}
}

// TestTemplateApplied: Metacontroller takes back what others edit, so an edit is no reason to replace pods.
func TestTemplateApplied(t *testing.T) {
	cases := []struct {
		reason, desired, last, observed string
		want                            bool
	}{
		{"the template that was applied last", "a", "a", "a", true},
		{"others have edited the template since", "a", "a", "b", true},
		{"spec has another template, which others have set already", "b", "a", "b", false},
		{"somebody has written a number into the annotation that nothing can read", "a", `a","x":1e999,"y":"`, "a", false},
		{"what was applied last is unknown, and the observed template is the desired one", "a", "", "a", true},
		{"what was applied last is unknown, and the observed template is another one", "a", "", "b", false},
	}
	template := func(hostname string) string {
		return `{"template":{"metadata":{},"spec":{"containers":null,"hostname":"` + hostname + `"}}}`
	}
	for _, test := range cases {
		have := &observed.Child{Spec: []byte(template(test.observed))}
		if test.last != "" {
			have.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"spec":` + template(test.last) + `}`}
		}
		if got, err := TemplateApplied(&corev1.PodTemplateSpec{Spec: corev1.PodSpec{Hostname: test.desired}}, have); got != test.want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", test.reason, got, err, test.want)
		}
	}
}

// TestCompareOfUnwritableSpec: the hook has a defect if its own child is no JSON.
func TestCompareOfUnwritableSpec(t *testing.T) {
	desired := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "cache"}, "spec": math.NaN()}}
	if got, err := firstChange(desired, &observed.Child{Spec: []byte(`{}`)}); got != "" || err == nil || !strings.Contains(err.Error(), "reading the desired cache") {
		t.Errorf("got %q, %v, want an error with the name of the child", got, err)
	}
}

// TestCompareOfUnreadableSpec: an error is no difference, because a difference makes the parent not ready.
func TestCompareOfUnreadableSpec(t *testing.T) {
	if got, err := firstChange(desiredChild(t, `{}`, `{"a":1}`), &observed.Child{Spec: []byte(`{"a":`)}); got != "" || err == nil {
		t.Errorf("got %q, %v, want an error", got, err)
	}
}

// TestChangesOfNothing checks objects of which one does not exist.
func TestChangesOfNothing(t *testing.T) {
	var nothing map[string]any
	if path, differs := Changed(nothing, map[string]any{"a": 1}); path != "a" || !differs {
		t.Errorf("an object that is new differs in %q: %t, want a", path, differs)
	}
	if path, differs := Changed(map[string]any{"a": 1}, nothing); path != "a" || !differs {
		t.Errorf("an object that is gone differs in %q: %t, want a", path, differs)
	}
}

// TestPathIsShort checks that fields below a long name cost little: each has a path.
func TestPathIsShort(t *testing.T) {
	long := strings.Repeat("ü", 700_000)
	path, differs := Changed(map[string]any{long: map[string]any{"a": 1}}, map[string]any{long: map[string]any{"a": 2}})
	if !differs || len(path) > maxPathBytes || !utf8.ValidString(path) {
		t.Errorf("a change has a path of %d bytes, want at most %d", len(path), maxPathBytes)
	}
}
