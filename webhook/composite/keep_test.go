package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/text"
)

type keptChildren struct {
	Services Group[observed.Child] `json:"Service.v1"`
	Jobs     Group[observed.Job]   `json:"Job.batch/v1"`
}

// service returns a Service with its last applied configuration.
func service(name, last, spec string) observed.Child {
	child := observed.Child{Spec: []byte(spec)}
	child.Name, child.Namespace, child.Annotations = name, "n", map[string]string{}
	if last != "" {
		child.Annotations[observed.LastAppliedAnnotation] = last
	}
	return child
}

// lastOf returns the last applied configuration of a Service x with more members.
func lastOf(members string) string {
	return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"n"}` + members + `}`
}

func keepRequest(children keptChildren) *Request[*corev1.ConfigMap, keptChildren, struct{}] {
	return &Request[*corev1.ConfigMap, keptChildren, struct{}]{Parent: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", UID: "new"}}, Children: children}
}

// TestKeep checks that a response to an invalid spec changes no child: if what was applied last is unknown, there is none.
func TestKeep(t *testing.T) {
	cause := errors.New("spec.size: Required value")
	for _, test := range []struct {
		reason string
		last   []string // of Services with this name and the next ones
		spec   string
		kept   bool
	}{
		{"no children", nil, "", true},
		{"a child with its last applied configuration", []string{lastOf("")}, "", true},
		{"one child of two without an annotation", []string{lastOf(""), ""}, "", false},
		{"an annotation that is not valid JSON", []string{`{"kind":`}, "", false},
		{"text after the configuration", []string{lastOf("") + "1"}, "", false},
		{"no object", []string{`[]`}, "", false},
		{"an annotation without a kind", []string{`{}`}, "", false},
		{"an annotation of another object", []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"z"}}`}, "", false},
		{"an annotation of another kind", []string{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`}, "", false},
		{"an annotation without a namespace", []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"}}`}, "", true},
		{"an annotation of another namespace", []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"m"}}`}, "", false},
		{"an annotation with two names", []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"y","name":"x"}}`}, "", false},
		{"a large annotation", []string{lastOf(`,"data":"` + strings.Repeat("a", maxKeptBytes/2) + `"`)}, "", true},
		{"a larger one", []string{lastOf(`,"data":"` + strings.Repeat("a", maxKeptBytes) + `"`)}, "", false},
		{"an annotation with more values than all children have", []string{lastOf(`,"l":[0` + strings.Repeat(",0", maxKeptValues) + `]`)}, "", false},
		{"a spec with more", []string{lastOf("")}, `{"l":[0` + strings.Repeat(",0", maxKeptValues) + `]}`, false},
		{"a deep annotation", []string{lastOf(`,"l":` + strings.Repeat("[", text.MaxDepth) + strings.Repeat("]", text.MaxDepth))}, "", false},
	} {
		var children keptChildren
		for i, last := range test.last {
			children.Services = GroupOf(append(valuesOf(children.Services), service(string(rune('x'+i)), last, test.spec))...)
		}
		desired, err := Keep(keepRequest(children), "status", cause)
		if parentError, refused := errors.AsType[*ParentError](err); refused == test.kept || refused && parentError.Error() != cause.Error() {
			t.Errorf("%s: error %v", test.reason, err)
		}
		if test.kept && (len(desired.Children) != len(test.last) || desired.Status != "status") {
			t.Errorf("%s: got %v", test.reason, desired)
		}
	}
}

func valuesOf[T Object](group Group[T]) (values []T) {
	for object := range group.All() {
		values = append(values, *object)
	}
	return values
}

// TestUnchanged checks that a child has nothing that only somebody's annotation has.
func TestUnchanged(t *testing.T) {
	const identity = `"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"n"`
	for _, test := range []struct {
		reason, last, labels, spec string
		want                       string
	}{
		{"a value that somebody changed, and a field that the API server dropped", lastOf(`,"spec":{"a":1,"b":{}}`), "", `{"a":2,"c":3}`, `{` + identity + `},"spec":{"a":2}}`},
		{"a number of more digits than a float has", lastOf(`,"spec":{"a":1}`), "", `{"a":9007199254740993}`, `{` + identity + `},"spec":{"a":9007199254740993}}`},
		{"a field that no child has", lastOf(`,"data":{"a":"b"}`), "", `{}`, `{` + identity + `}}`},
		{"labels, without that of another parent, which Metacontroller refuses",
			`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"n","labels":{"a":"1","controller-uid":"old"}}}`, `{"a":"2","controller-uid":"old","b":"3"}`, "",
			`{` + identity + `,"labels":{"a":"2"}}}`},
		{"an annotation in itself, which would grow in each sync",
			`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"n","annotations":{"metacontroller.k8s.io/last-applied-configuration":"a"}}}`, "", "",
			`{` + identity + `,"annotations":{}}}`},
	} {
		child := service("x", test.last, test.spec)
		if test.labels != "" {
			if err := jsonv2.Unmarshal([]byte(test.labels), &child.Labels); err != nil {
				t.Fatal(err)
			}
		}
		children, err := keepRequest(keptChildren{Services: GroupOf(child)}).Unchanged()
		if err != nil || len(children) != 1 {
			t.Fatalf("%s: %v, %v", test.reason, children, err)
		}
		got, err := json.Marshal(children[0])
		if diff := cmp.Diff(canonical(t, test.want), canonical(t, string(got))); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.reason, diff, err)
		}
	}
}

// TestUnchangedJob: Metacontroller does not update Jobs, and no rule reads most of their spec.
func TestUnchangedJob(t *testing.T) {
	const last = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"x","namespace":"n"},"spec":{"completions":3}}`
	var job observed.Job
	job.Name, job.Namespace, job.Annotations = "x", "n", map[string]string{observed.LastAppliedAnnotation: last}
	children, err := keepRequest(keptChildren{Jobs: GroupOf(job)}).Unchanged()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(children[0])
	if diff := cmp.Diff(canonical(t, last), canonical(t, string(got))); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
}

// canonical returns a JSON text with sorted members.
func canonical(t *testing.T, document string) string {
	t.Helper()
	value := []byte(document)
	object, err := parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(object)
}
