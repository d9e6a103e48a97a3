package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

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

// TestKeep checks that a response to an invalid spec changes no child, and that there is none if it would cause writes again and again.
func TestKeep(t *testing.T) {
	const spec, same, other = `,"spec":{"a":1}`, `{"a":1,"b":2}`, `{"a":2}`
	cause := errors.New("spec.size: Required value")
	for _, test := range []struct {
		reason   string
		wasValid bool
		last     []string // of Services with the name x and the next ones
		spec     string
		kept     bool
	}{
		{"no children", false, nil, "", true},
		{"a child as it was applied last", false, []string{lastOf(spec)}, same, true},
		{"one child of two without an annotation", true, []string{lastOf(spec), ""}, same, false},
		{"an annotation that is not valid JSON", true, []string{`{"kind":`}, "", false},
		{"text after the configuration", true, []string{lastOf(spec) + "1"}, same, false},
		{"no object", true, []string{`[]`}, "", false},
		{"an annotation without a kind", true, []string{`{}`}, "", false},
		{"an annotation of another object", true, []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"z"}}`}, "", false},
		{"an annotation of another kind", true, []string{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`}, "", false},
		{"an annotation without a namespace", true, []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"}}`}, "", true},
		{"an annotation of another namespace", true, []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"m"}}`}, "", false},
		{"an annotation with two names", true, []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"y","name":"x"}}`}, "", false},
		{"labels that are none", true, []string{`{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","labels":"a"}}`}, "", false},
		{"a large annotation", true, []string{lastOf(`,"data":"` + strings.Repeat("a", maxKeptBytes/2) + `"`)}, "", true},
		{"a larger one", true, []string{lastOf(`,"data":"` + strings.Repeat("a", maxKeptBytes) + `"`)}, "", false},
		{"an annotation with more values than all children have", true, []string{lastOf(`,"l":[0` + strings.Repeat(",0", maxKeptValues) + `]`)}, "", false},
		{"a spec with more values", true, []string{lastOf(spec)}, `{"a":1,"b":[0` + strings.Repeat(",0", maxKeptValues) + `]}`, false},
		{"a deep annotation", true, []string{lastOf(`,"l":` + strings.Repeat("[", text.MaxDepth) + strings.Repeat("]", text.MaxDepth))}, "", false},
		{"a policy changed the child, and the spec was valid", true, []string{lastOf(spec)}, other, true},
		{"each response would write it again", false, []string{lastOf(spec)}, other, false},
		{"one of two would be written", false, []string{lastOf(""), strings.Replace(lastOf(spec), `"x"`, `"y"`, 1)}, other, false},
	} {
		var children keptChildren
		for i, last := range test.last {
			children.Services = GroupOf(append(valuesOf(children.Services), service(string(rune('x'+i)), last, test.spec))...)
		}
		desired, err := Keep(keepRequest(children), test.wasValid, "status", cause)
		if parentError, refused := errors.AsType[*ParentError](err); refused == test.kept || refused && parentError.Error() != cause.Error() {
			t.Errorf("%s: error %v", test.reason, err)
		}
		if test.kept && (len(desired.Children) != len(test.last) || desired.Status != "status") {
			t.Errorf("%s: got %v", test.reason, desired)
		}
	}
	if _, err := Keep(keepRequest(keptChildren{}), true, strings.Repeat("a", MaxStatusBytes), cause); err == nil {
		t.Error("a status that cannot be stored has a response, whose children would be applied again and again")
	}
}

// TestRefusalIsCheap checks that children that nobody keeps are not decoded: a tenant with 480 caches would delay others.
func TestRefusalIsCheap(t *testing.T) {
	for _, count := range []int{100, maxKeptValues / 5} { // the second ones are too many to be compared
		ports := `[{"port":0}` + strings.Repeat(`,{"port":0}`, count) + `]`
		last := strings.Replace(lastOf(`,"spec":{"ports":`+ports+`}`), `"namespace"`, `"labels":{"a":"b"},"namespace"`, 1)
		request := keepRequest(keptChildren{Services: GroupOf(service("x", last, `{"ports":`+ports+`}`))})
		allocations := testing.AllocsPerRun(10, func() {
			if _, err := Keep(request, false, "status", errors.New("invalid")); err == nil {
				t.Error("a child is kept that has lost a label")
			}
		})
		if allocations > 100 {
			t.Errorf("a refusal of %d ports makes %.0f allocations", count, allocations)
		}
		if _, err := Keep(request, true, "status", nil); err != nil {
			t.Errorf("%d ports are too many values: %v", count, err)
		}
	}
}

func valuesOf[T Object](group Group[T]) (values []T) {
	for object := range group.All() {
		values = append(values, *object)
	}
	return values
}

// TestLastApplied checks that a child has only what the operator sets.
func TestLastApplied(t *testing.T) {
	const identity = `"apiVersion":"v1","kind":"Service","metadata":{"name":"x","namespace":"n"`
	for _, test := range []struct{ reason, last, want string }{
		{"a number of more digits than a float has", lastOf(`,"spec":{"a":9007199254740993}`), `{` + identity + `},"spec":{"a":9007199254740993}}`},
		{"other fields", lastOf(`,"spec":{},"status":{"a":"b"}`), `{` + identity + `},"spec":{}}`},
		{"labels, without the UID of another parent, which Metacontroller refuses", `{` + identity + `,"labels":{"a":"1","controller-uid":"old"}},"spec":{}}`,
			`{` + identity + `,"labels":{"a":"1"}},"spec":{}}`},
		{"the UID of the parent", `{` + identity + `,"labels":{"controller-uid":"new"}},"spec":{}}`, `{` + identity + `,"labels":{"controller-uid":"new"}},"spec":{}}`},
		{"an annotation in itself, which would grow in each sync", `{` + identity + `,"annotations":{"a":"b","metacontroller.k8s.io/last-applied-configuration":"a"}},"spec":{}}`,
			`{` + identity + `,"annotations":{"a":"b"}},"spec":{}}`},
	} {
		children, err := keepRequest(keptChildren{Services: GroupOf(service("x", test.last, ""))}).LastApplied(true)
		if err != nil || len(children) != 1 {
			t.Fatalf("%s: %v, %v", test.reason, children, err)
		}
		got, err := json.Marshal(children[0])
		if diff := cmp.Diff(canonical(t, test.want), canonical(t, string(got))); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", test.reason, diff, err)
		}
	}
}

// TestLastAppliedJob: Metacontroller does not update Jobs, so they are always settled.
func TestLastAppliedJob(t *testing.T) {
	var job observed.Job
	job.Name, job.Namespace = "x", "n"
	job.Annotations = map[string]string{observed.LastAppliedAnnotation: `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"x"},"spec":{"completions":3}}`}
	if children, err := keepRequest(keptChildren{Jobs: GroupOf(job)}).LastApplied(false); len(children) != 1 || err != nil {
		t.Errorf("%d children, %v", len(children), err)
	}
}

// canonical returns a JSON text with sorted members.
func canonical(t *testing.T, document string) string {
	t.Helper()
	object, err := parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(object.Object)
}
