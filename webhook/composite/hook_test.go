package composite

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// In the tests the parent is a ConfigMap, a child is a Secret and a related object is a Pod.
type observedObject struct {
	Metadata objectMetadata `json:"metadata"`
}

type objectMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

func (v observedObject) GetName() string      { return v.Metadata.Name }
func (v observedObject) GetNamespace() string { return v.Metadata.Namespace }

type secrets struct {
	Secrets Group[observedObject] `json:"Secret.v1"`
}

type pods struct {
	Pods Group[observedObject] `json:"Pod.v1"`
}

type configMapStatus struct {
	Seen []string `json:"seen"`
}

type configMapRequest = Request[*corev1.ConfigMap, secrets, pods]

var configMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

const wholeRequest = `{
	"controller": {},
	"parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}},
	"children": {"Secret.v1": {"n/b": {"metadata": {"name": "b", "namespace": "n"}}, "a": {"metadata": {"name": "a", "namespace": "n"}}}, "Job.batch/v1": {"x": 1}},
	"related": {"Pod.v1": {}},
	"finalizing": false}`

func secret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
}

func call(t *testing.T, hook Hook, body string) (string, error) {
	t.Helper()
	response, err := hook.Handle(configMapKind, strings.NewReader(body), metav1.Time{})
	return string(response.Body), err
}

func TestSyncPassesObservedState(t *testing.T) {
	hook := Sync(func(request configMapRequest) (Desired[configMapStatus], error) {
		var status configMapStatus
		for child := range request.Children.Secrets.All() {
			status.Seen = append(status.Seen, child.GetName())
		}
		return Desired[configMapStatus]{
			Status:      status,
			Children:    []runtime.Object{secret("", request.Parent.Name)},
			ResyncAfter: 1500 * time.Millisecond,
		}, nil
	})
	got, err := call(t, hook, wholeRequest)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"status":{"seen":["a","b"]},"children":[{"kind":"Secret","apiVersion":"v1","metadata":{"name":"p"}}],"resyncAfterSeconds":1.5}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("children are sorted by their names, not by their keys (-want +got):\n%s", diff)
	}
}

func TestSyncChecksItsResponse(t *testing.T) {
	var noSecret *corev1.Secret
	cases := []struct {
		reason  string
		desired Desired[*configMapStatus]
		message string
	}{
		{"a nil child crashes Metacontroller", Desired[*configMapStatus]{Children: []runtime.Object{nil}}, "child 0 is nil"},
		{"a nil pointer is a nil child", Desired[*configMapStatus]{Children: []runtime.Object{noSecret}}, "child 0 is nil"},
		{"a child without a kind cannot be applied", Desired[*configMapStatus]{Children: []runtime.Object{&corev1.Secret{}}}, "does not observe"},
		{"a child of a kind that is not observed is never deleted", Desired[*configMapStatus]{Children: []runtime.Object{&corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}}}, "does not observe"},
		{"a child without a name cannot be created", Desired[*configMapStatus]{Children: []runtime.Object{secret("n", "")}}, "has no name"},
		{"a child in another namespace is created and never observed", Desired[*configMapStatus]{Children: []runtime.Object{secret("other", "a")}}, "in namespace other"},
		{"Metacontroller applies the last of two children with one name", Desired[*configMapStatus]{Children: []runtime.Object{secret("", "a"), secret("n", "a")}}, "two children"},
		{"a null status deletes the stored status", Desired[*configMapStatus]{}, "status must be an object"},
		{"finalized from a sync hook would delete the parent too early", Desired[*configMapStatus]{Status: &configMapStatus{}, Finalized: true}, "finalize hook"},
		{"a resync cannot be in the past", Desired[*configMapStatus]{Status: &configMapStatus{}, ResyncAfter: -1}, "negative"},
	}
	for _, test := range cases {
		hook := Sync(func(configMapRequest) (Desired[*configMapStatus], error) { return test.desired, nil })
		body, err := call(t, hook, wholeRequest)
		if err == nil || !strings.Contains(err.Error(), test.message) || body != "" {
			t.Errorf("%s: response %q, error %v, want an error with %q", test.reason, body, err, test.message)
		}
		if _, refused := errors.AsType[*RequestError](err); refused {
			t.Errorf("%s: a defect of the hook is reported as an invalid request: %v", test.reason, err)
		}
	}
}

func TestErrorTypes(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{}, &ParentError{Err: errors.New("data is empty")}
	})
	broken := errors.New("connection reset")
	cases := []struct {
		reason string
		body   string
		want   any
	}{
		{"the hook's own error", wholeRequest, new(*ParentError)},
		{"a field of the parent has the wrong type", strings.Replace(wholeRequest, `"namespace": "n"`, `"namespace": 1`, 1), new(*ParentError)},
		{"a field of a child has the wrong type", strings.Replace(wholeRequest, `"name": "b"`, `"name": 1`, 1), new(*RequestError)},
		{"invalid JSON", wholeRequest[1:], new(*RequestError)},
	}
	for _, test := range cases {
		if _, err := hook.Handle(configMapKind, strings.NewReader(test.body), metav1.Time{}); !errors.As(err, test.want) {
			t.Errorf("%s: error %T %v, want %T", test.reason, err, err, test.want)
		}
	}
	if _, err := hook.Handle(configMapKind, iotest.ErrReader(broken), metav1.Time{}); !errors.Is(err, broken) {
		t.Errorf("want the error of reading the body, got %v", err)
	}
}

// TestErrorMessages checks the sentences that Metacontroller copies into an Event.
func TestErrorMessages(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	cases := []struct{ reason, body, message string }{
		{"an empty request", ``, "request is not valid JSON: unexpected EOF"},
		{"half a request", wholeRequest[:len(wholeRequest)/2], `unexpected EOF within "/children/Secret.v1`},
		{"a request that is not JSON", `x`, "request is not valid JSON: invalid character"},
		{"a list", `[]`, "request cannot be"},
		{"a parent with more values than any real one has", strings.Replace(wholeRequest, `"kind": "ConfigMap",`, `"kind": "ConfigMap", "spec": [0`+strings.Repeat(",0", maxSpecValues+1)+`],`, 1), "values in its lists and fields, but at most 2000 are allowed"},
		{"a number for a string", strings.Replace(wholeRequest, `"name": "b"`, `"name": 7`, 1), "children.Secret.v1.n/b.metadata.name: cannot be a number"},
		{"a fraction for an integer", strings.Replace(wholeRequest, `{"name": "p"`, `{"generation": 1.5, "name": "p"`, 1), "metadata.generation: 1.5 is not a valid int64"},
		{"a parent without a name", strings.Replace(wholeRequest, `"name": "p", `, "", 1), "the parent has no metadata.name"},
		{"two children with one name", strings.Replace(wholeRequest, `"a": {"metadata": {"name": "a"`, `"b": {"metadata": {"name": "b"`, 1), `children.Secret.v1: two objects have the name "b"`},
		{"another name than the key", strings.Replace(wholeRequest, `"name": "a"`, `"name": "c"`, 1), `children.Secret.v1.a: the object has the name "c"`},
		{"another namespace than the key", strings.Replace(wholeRequest, `"n/b"`, `"m/b"`, 1), `children.Secret.v1.m/b: the object has the name "b"`},
		{"a list for a string", strings.Replace(wholeRequest, `"name": "b"`, `"name": []`, 1), "metadata.name: cannot be an array"},
	}
	for _, test := range cases {
		if _, err := hook.Handle(configMapKind, strings.NewReader(test.body), metav1.Time{}); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.message)
		}
	}
}

func TestFinalizeRequiresFinalizing(t *testing.T) {
	hook := Finalize(func(configMapRequest) (Desired[configMapStatus], error) {
		return Desired[configMapStatus]{Finalized: true}, nil
	})
	if _, err := call(t, hook, wholeRequest); err == nil {
		t.Error("a finalize hook must refuse a sync request, because the parent is not being deleted")
	}
	response, err := hook.Handle(configMapKind, strings.NewReader(strings.Replace(wholeRequest, "false", "true", 1)), metav1.Time{})
	if want := `{"status":{"seen":null},"children":[],"finalized":true}`; err != nil || string(response.Body) != want {
		t.Errorf("got %s, %v, want %s", response.Body, err, want)
	}
}

func TestCustomize(t *testing.T) {
	const body = `{"controller": {}, "parent": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n"}}}`
	team := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
	cases := []struct {
		reason        string
		rules         []RelatedRule
		want, message string
	}{
		{"pods by one label, in the namespace", []RelatedRule{RelatedPods("n", "a", "b")}, `{"relatedResources":[{"apiVersion":"v1","resource":"pods","labelSelector":{"matchLabels":{"a":"b"}},"namespace":"n"}]}`, ""},
		{"null would be no list", nil, `{"relatedResources":[]}`, ""},
		{"without a selector, the rule would select all pods of the namespace", []RelatedRule{{APIVersion: "v1", Resource: "pods", Namespace: "n"}}, "", "rule 0 selects all pods"},
		{"an empty selector selects everything", []RelatedRule{{APIVersion: "v1", Resource: "pods", LabelSelector: &metav1.LabelSelector{}}}, "", "rule 0 selects all pods"},
		{"a Secret by name", []RelatedRule{{APIVersion: "v1", Resource: "secrets", Namespace: "n", Names: []string{"a"}}}, `{"relatedResources":[{"apiVersion":"v1","resource":"secrets","namespace":"n","names":["a"]}]}`, ""},
		{"the namespaces of a team", []RelatedRule{{APIVersion: "v1", Resource: "secrets", NamespaceSelector: team}}, `{"relatedResources":[{"apiVersion":"v1","resource":"secrets","namespaceSelector":{"matchLabels":{"team":"a"}}}]}`, ""},
		{"Metacontroller refuses names and a selector", []RelatedRule{{APIVersion: "v1", Resource: "secrets", Names: []string{"a"}, LabelSelector: &metav1.LabelSelector{}}}, "", "both names and a selector"},
		{"Metacontroller refuses two kinds of namespaces", []RelatedRule{{APIVersion: "v1", Resource: "secrets", Namespace: "n", NamespaceSelector: team}}, "", "both a namespace and a namespaceSelector"},
		{"a rule without a resource", []RelatedRule{{APIVersion: "v1"}}, "", "rule 0 has no resource"},
		{"a rule without a version", []RelatedRule{{Resource: "pods"}}, "", "rule 0 has no resource"},
	}
	for _, test := range cases {
		got, err := call(t, Customize(func(*corev1.ConfigMap) []RelatedRule { return test.rules }), body)
		if test.message == "" && (err != nil || got != test.want) {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
		if test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want an error with %q", test.reason, err, test.message)
		}
	}
}

func TestGroupGet(t *testing.T) {
	named := func(namespace, name string) observedObject {
		return observedObject{objectMetadata{Namespace: namespace, Name: name}}
	}
	group := GroupOf(named("b", "x"), named("a", "y"), named("a", "x"))
	if got := group.Get("a", "y"); got == nil || got.GetName() != "y" || got.GetNamespace() != "a" {
		t.Errorf("Get(a, y) = %v", got)
	}
	if got := group.Get("b", "y"); got != nil {
		t.Errorf("Get(b, y) = %v, want nil: only namespace a has y", got)
	}
	if group.Len() != 3 {
		t.Errorf("Len = %d, want 3", group.Len())
	}
}

func TestGroupKeysRefusesOtherFields(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("want a panic: the field is not a Group")
		}
	}()
	groupKeys[struct{ Pods []observedObject }]()
}
