package nginx

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
)

func sample(count int32) *Nginx {
	return &Nginx{
		TypeMeta:   metav1.TypeMeta{APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "proxy", Namespace: "web", Generation: 3},
		Spec:       Spec{Count: &count},
	}
}

func observe(nginx *Nginx, pods ...observed.Pod) composite.Observed[*Nginx, children, related] {
	return composite.Observed[*Nginx, children, related]{Parent: nginx, Related: related{Pods: composite.GroupOf(pods...)}}
}

func TestValidate(t *testing.T) {
	cases := []struct {
		reason, name string
		count        *int32
		sentence     string
	}{
		{"a good one", "proxy", new(int32(3)), ""},
		{"none is a number of pods too", "proxy", new(int32(0)), ""},
		{"an absent count must not read as 0", "proxy", nil, "spec.count: Required"},
		{"less than none", "proxy", new(int32(-1)), "spec.count: Invalid"},
		{"a name that is no label value", strings.Repeat("a", 64), new(int32(1)), "metadata.name"},
		{"a name with a dot", "my.proxy", new(int32(1)), "metadata.name"},
	}
	for _, test := range cases {
		nginx := sample(0)
		nginx.Name, nginx.Spec.Count = test.name, test.count
		desired, err := sync(observe(nginx))
		if err != nil || (len(desired.Children) == 1) != (test.sentence == "") {
			t.Errorf("%s: %d children, error %v", test.reason, len(desired.Children), err)
		}
		degraded := meta.FindStatusCondition(desired.Status.Conditions, api.Degraded)
		if (degraded.Reason == conditions.ReasonInvalidSpec) != (test.sentence != "") || !strings.Contains(degraded.Message, test.sentence) {
			t.Errorf("%s: Degraded is %v, want a message about %q", test.reason, degraded, test.sentence)
		}
	}
}

func TestNodesAreOwnLivePods(t *testing.T) {
	nginx, other := sample(2), sample(2)
	other.Name = "other"
	pod := func(name, namespace string, of *Nginx) observed.Pod {
		return observed.Pod{Meta: observed.Meta{Name: name, Namespace: namespace, Labels: selectorLabels(of)}}
	}
	desired, err := sync(observe(nginx, pod("b", "web", nginx), pod("a", "web", nginx), pod("c", "web", other), pod("d", "shop", nginx)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, desired.Status.Nodes); diff != "" {
		t.Errorf("another's pods in status would be a lie (-want +got):\n%s", diff)
	}
}
