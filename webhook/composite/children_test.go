package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// applied is an observed object with its last applied configuration.
type applied struct {
	observedObject
	last string
}

func (a applied) GetLastApplied() string { return a.last }

func appliedObject(name, last string) applied {
	return applied{observedObject: observedObject{Metadata: objectMetadata{Name: name, Namespace: "n"}}, last: last}
}

// large returns an object with more than half of maxAppliedBytes.
func large(name string) applied {
	return appliedObject(name, fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":"b"},"name":%q},"data":{"k":%q}}`, name, strings.Repeat("a", maxAppliedBytes/2)))
}

// appliedObjects returns objects of different names with their last applied configurations.
func appliedObjects(count int) (objects []applied) {
	for i := range count {
		name := fmt.Sprint("x", i)
		objects = append(objects, appliedObject(name, fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":"b"},"name":%q}}`, name)))
	}
	return objects
}

// TestLastAppliedStaysText: the configuration is not copied more often than needed.
func TestLastAppliedStaysText(t *testing.T) {
	request := &Request[*corev1.ConfigMap, appliedSecrets, struct{}]{Parent: &corev1.ConfigMap{}, Children: appliedSecrets{GroupOf(large("x"))}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := request.LastApplied(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2*maxAppliedBytes {
		t.Errorf("%d bytes of configuration need %d bytes", maxAppliedBytes/2, allocated)
	}
}

// TestLastAppliedIsSmallInTheResponse: encoding/json writes six bytes for a <.
func TestLastAppliedIsSmallInTheResponse(t *testing.T) {
	last := fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"k":%q}}`, strings.Repeat("<", maxAppliedBytes/5))
	request := &Request[*corev1.ConfigMap, appliedSecrets, struct{}]{Parent: &corev1.ConfigMap{}, Children: appliedSecrets{GroupOf(appliedObject("x", last))}}
	if _, err := request.LastApplied(); err == nil || !strings.Contains(err.Error(), "have more than 1048576 bytes") {
		t.Errorf("%v: the configuration has %d bytes, and six times as many in a response", err, len(last))
	}
}

type appliedSecrets struct {
	Secrets Group[applied] `json:"Secret.v1"`
}

// TestRemoveMember: the UID of another parent is cut out of a text, wherever it is.
func TestRemoveMember(t *testing.T) {
	for _, test := range []struct{ reason, object, want string }{
		{"the only label", `{"metadata":{"labels":{"uid":"1"}}}`, `{"metadata":{"labels":{}}}`},
		{"the first", `{"a":1,"metadata":{"labels":{"uid":"1","b":"2"},"name":"x"}}`, `{"a":1,"metadata":{"labels":{"b":"2"},"name":"x"}}`},
		{"in the middle", `{"metadata":{"labels":{"a":"1","uid":"1","v":"2"}},"b":{}}`, `{"metadata":{"labels":{"a":"1","v":"2"}},"b":{}}`},
		{"the last", `{"metadata":{"name":"x","labels":{"a":"1","uid":"1"}}}`, `{"metadata":{"name":"x","labels":{"a":"1"}}}`},
		{"with spaces", "{ \"metadata\" : { \"labels\" : { \"uid\" : \"1\" , \"b\" : \"2\" } } }", "{ \"metadata\" : { \"labels\" : { \"b\" : \"2\" } } }"},
		{"members of the same name elsewhere", `{"uid":"0","labels":{"uid":"0"},"metadata":{"uid":"0","labels":{"a":{"uid":"0"},"uid":"1"}}}`,
			`{"uid":"0","labels":{"uid":"0"},"metadata":{"uid":"0","labels":{"a":{"uid":"0"}}}}`},
		{"an escaped name", `{"metadata":{"labels":{"\u0075id":"1"}}}`, `{"metadata":{"labels":{}}}`},
	} {
		got, err := removeMember(jsontext.Value(test.object), "metadata", "labels", "uid")
		if err != nil || !got.IsValid() || strings.ReplaceAll(string(got), " ", "") != strings.ReplaceAll(test.want, " ", "") {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
	}
	many := jsontext.Value(`{"metadata":{"labels":{` + strings.Repeat(`"a":"",`, 2000) + `"uid":"1"}}}`)
	allocations := testing.AllocsPerRun(1, func() {
		if _, err := removeMember(many, "metadata", "labels", "uid"); err != nil {
			t.Error(err)
		}
	})
	if allocations > 100 {
		t.Errorf("%.0f allocations for 2,000 labels, which nine parents at once turn into seconds of CPU time for all tenants", allocations)
	}
}

func TestKeep(t *testing.T) {
	const lastSecret = `{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":"b","controller-uid":"old"},"name":"x","namespace":"n"},"data":{"k":"v"}}`
	cases := []struct {
		reason  string
		objects []applied
		kept    bool
	}{
		{"no children", nil, true},
		{"a child with its last applied configuration", []applied{appliedObject("x", lastSecret)}, true},
		{"one child of two without an annotation", []applied{appliedObject("x", lastSecret), appliedObject("y", "")}, false},
		{"an annotation that is not valid JSON", []applied{appliedObject("x", `{"kind":`)}, false},
		{"an annotation without a kind", []applied{appliedObject("x", `{}`)}, false},
		{"an annotation of another object", []applied{appliedObject("y", lastSecret)}, false},
		{"an annotation of another kind", []applied{appliedObject("x", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`)}, false},
		{"an annotation without a namespace", []applied{appliedObject("x", `{"apiVersion":"v1","kind":"Secret","metadata":{"labels":{"a":"b"},"name":"x"}}`)}, true},
		{"an annotation of another namespace", []applied{appliedObject("x", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x","namespace":"m"}}`)}, false},
		{"an annotation with two names", []applied{appliedObject("x", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x","name":"y"}}`)}, false},
		{"annotations that are too large together", []applied{large("x"), large("y")}, false},
		{"a large annotation", []applied{large("x")}, true},
		{"as many as a parent may have", appliedObjects(maxAppliedChildren), true},
		{"more, each of which Metacontroller would write after each change of the spec", appliedObjects(maxAppliedChildren + 1), false},
		{"an annotation with more values than any child has", []applied{appliedObject("x", lastSecret[:len(lastSecret)-1]+`,"l":[0`+strings.Repeat(",0", maxAppliedValues)+`]}`)}, false},
	}
	cause := errors.New("spec.size: Required value")
	for _, test := range cases {
		request := &Request[*corev1.ConfigMap, appliedSecrets, struct{}]{
			Parent:   &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", UID: "new"}},
			Children: appliedSecrets{GroupOf(test.objects...)},
		}
		desired, err := Keep(request, "before", "status", cause)
		if parentError, refused := errors.AsType[*ParentError](err); refused == test.kept || refused && parentError.Error() != cause.Error() {
			t.Errorf("%s: error %v", test.reason, err)
		}
		_, again := Keep(request, "status", "status", cause)
		if wait, waits := errors.AsType[*RetryError](again); waits != test.kept || waits && wait.After != ResyncPeriod {
			t.Errorf("%s: with the same status, the error is %v; a response would apply the configurations again and again", test.reason, again)
		}
		if test.kept && (len(desired.Children) != len(test.objects) || desired.Status != "status") {
			t.Errorf("%s: got %v", test.reason, desired)
		}
		for _, child := range desired.Children {
			var got struct {
				Metadata struct{ Labels map[string]string }
			}
			text, err := json.Marshal(child)
			if err == nil {
				err = json.Unmarshal(text, &got)
			}
			if diff := cmp.Diff(map[string]string{"a": "b"}, got.Metadata.Labels); diff != "" || err != nil {
				t.Errorf("%s: Metacontroller refuses the UID of another parent (-want +got):\n%s%v", test.reason, diff, err)
			}
		}
	}
}

func TestChild(t *testing.T) {
	request := &Request[*corev1.ConfigMap, secrets, pods]{Children: secrets{GroupOf(observedObject{objectMetadata{"x", "n"}})}}
	if got, ok := request.Child(secret("n", "x")).(*observedObject); !ok || got.Metadata.Name != "x" {
		t.Errorf("Child returned %v", got)
	}
	for reason, desired := range map[string]*corev1.Secret{"another name": secret("n", "y"), "another namespace": secret("m", "x")} {
		if got := request.Child(desired); got != nil {
			t.Errorf("%s: %v", reason, got)
		}
	}
}
