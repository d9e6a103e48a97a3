package memcached

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

func sample(size int32) *Memcached {
	return &Memcached{
		TypeMeta:   metav1.TypeMeta{APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web", Generation: 3},
		Spec:       Spec{Size: &size},
	}
}

func observe(memcached *Memcached) composite.Observed[*Memcached, children, related] {
	return composite.Observed[*Memcached, children, related]{
		Parent: memcached,
		Children: children{Deployments: composite.GroupOf(object.Workload{
			Meta: object.Meta{Name: "cache", Namespace: "web"}, Spec: object.WorkloadSpec{Replicas: 1},
		})},
		Related: related{Pods: composite.GroupOf(object.Pod{
			Meta: object.Meta{Name: "cache-1", Namespace: "web", Labels: selectorLabels(memcached)},
		})},
	}
}

func TestSyncLeavesItsInputAlone(t *testing.T) {
	observed, again := observe(sample(2)), observe(sample(2))
	observed.Parent.Status.Conditions = []metav1.Condition{{Type: object.Ready, Status: metav1.ConditionTrue}}
	again.Parent.Status.Conditions = []metav1.Condition{{Type: object.Ready, Status: metav1.ConditionTrue}}
	if _, err := sync(observed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again.Parent, observed.Parent); diff != "" {
		t.Errorf("a pure function changed the parent (-before +after):\n%s", diff)
	}
	for pod := range observed.Related.Pods.All() {
		if pod.Name != "cache-1" || len(pod.Labels) != 2 {
			t.Errorf("a pure function changed a pod: %v", pod)
		}
	}
}

func TestValidate(t *testing.T) {
	size := func(n int32) *int32 { return &n }
	cases := []struct {
		reason, name string
		size         *int32
		sentence     string
	}{
		{"a good one", "cache", size(3), ""},
		{"none is a number of pods too", "cache", size(0), ""},
		{"an absent size must not read as 0", "cache", nil, "spec.size: Required"},
		{"less than none", "cache", size(-1), "spec.size: Invalid"},
		{"a name that is no label value", strings.Repeat("a", 64), size(1), "metadata.name"},
		{"a name that is no Service name", "1cache", size(1), "metadata.name"},
		{"a name with a dot", "my.cache", size(1), "metadata.name"},
	}
	for _, test := range cases {
		memcached := sample(0)
		memcached.Name, memcached.Spec.Size = test.name, test.size
		_, err := sync(observe(memcached))
		if test.sentence == "" {
			if err != nil {
				t.Errorf("%s: %v", test.reason, err)
			}
			continue
		}
		parentError, ok := errors.AsType[*composite.ParentError](err)
		if !ok || !strings.Contains(parentError.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}
