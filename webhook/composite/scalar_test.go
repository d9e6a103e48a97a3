package composite

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestQuantities: the API server accepts quantities that take minutes or gigabytes to compute with.
func TestQuantities(t *testing.T) {
	for text, valid := range map[string]bool{
		`"64Mi"`: true, `"0.5"`: true, `"100m"`: true, `"1e3"`: true, `"-1E-3"`: true, `"12E"`: true, `2`: true, `null`: true,
		`"1e999999999"`: false, `"1e-999999999"`: false, `"1e100"`: false, `"1000000000000000000000000000000"`: false, `"64MB"`: false,
	} {
		var quantity resource.Quantity
		if err := jsonv2.Unmarshal([]byte(text), &quantity, scalars); (err == nil) != valid {
			t.Errorf("%s: %v, want valid: %t", text, err, valid)
		}
	}
}

// TestTimes: a response with a time that the API server stores, but refuses in UTC, could never be stored.
func TestTimes(t *testing.T) {
	const epoch = `"1970-01-01T00:00:00Z"`
	for _, test := range []struct{ reason, text, want string }{
		{"a time", `"2026-01-01T01:00:00+01:00"`, `"2026-01-01T00:00:00Z"`},
		{"none", "null", "null"},
		{"the year -1 in UTC", `"0000-01-01T00:00:00+23:59"`, epoch},
		{"the year 10000 in UTC", `"9999-12-31T23:59:59-23:59"`, epoch},
		{"the zero value, which is null in a response", `"0001-01-01T00:00:00Z"`, epoch},
	} {
		var value metav1.Time
		err := jsonv2.Unmarshal([]byte(test.text), &value, scalars)
		got, encodingErr := value.MarshalJSON()
		if string(got) != test.want || err != nil || encodingErr != nil {
			t.Errorf("%s: %s becomes %s (%v, %v), want %s", test.reason, test.text, got, err, encodingErr, test.want)
		}
	}
}

// TestCustomizeWithoutReadableSpec checks that a customize hook gets the identity of a parent whose spec cannot be read, and refuses one without it.
func TestCustomizeWithoutReadableSpec(t *testing.T) {
	hook := Customize(func(quota *corev1.ResourceQuota) []RelatedRule {
		if len(quota.Spec.Hard) > 0 {
			t.Errorf("spec is %v, want none or all of it", quota.Spec)
		}
		return []RelatedRule{RelatedPods(quota.Namespace, "of", quota.Name)}
	})
	for _, test := range []struct{ reason, parent, err string }{
		{"a quantity of a billion digits", `"metadata": {"name": "a", "namespace": "n"}, "spec": {"hard": {"cpu": "1", "memory": "1e999999999"}}`, ""},
		{"spec is a number", `"metadata": {"name": "a", "namespace": "n"}, "spec": 1`, ""},
		{"the name is a number", `"metadata": {"name": 1}, "spec": {}`, "name"},
	} {
		response, err := hook.Handle(corev1.SchemeGroupVersion.WithKind("ResourceQuota"), strings.NewReader(`{"controller": {}, "parent": {"apiVersion": "v1", "kind": "ResourceQuota", `+test.parent+`}}`), metav1.Time{})
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.err)
		}
		if err == nil && !strings.Contains(string(response.Body), `"of":"a"`) {
			t.Errorf("%s: response %s", test.reason, response.Body)
		}
	}
}
