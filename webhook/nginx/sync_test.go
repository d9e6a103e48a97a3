package nginx

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/nginx/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func sample(count int32) *v1alpha1.Nginx {
	return &v1alpha1.Nginx{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Nginx"},
		ObjectMeta: metav1.ObjectMeta{Name: "proxy", Namespace: "web", Generation: 3},
		Spec:       v1alpha1.NginxSpec{Count: &count},
	}
}

func newRequest(nginx *v1alpha1.Nginx, pods ...observed.Pod) syncRequest {
	return syncRequest{Parent: nginx, Related: relatedGroups{Pods: composite.GroupOf(pods...)}}
}

func TestValidate(t *testing.T) {
	cases := []struct {
		reason, name string
		count        *int32
		message      string
	}{
		{"a valid parent", "proxy", new(int32(3)), ""},
		{"no pods", "proxy", new(int32(0)), ""},
		{"no count, which must not mean 0", "proxy", nil, "spec.count: Required"},
		{"a negative count", "proxy", new(int32(-1)), "spec.count: Invalid"},
		{"a name that is too long for a label", strings.Repeat("a", 64), new(int32(1)), "metadata.name"},
		{"a name with a dot", "my.proxy", new(int32(1)), "metadata.name"},
	}
	for _, test := range cases {
		nginx := sample(0)
		nginx.Name, nginx.Spec.Count = test.name, test.count
		desired, err := sync(newRequest(nginx))
		if err != nil || (len(desired.Children) == 1) != (test.message == "") {
			t.Errorf("%s: %d children, error %v", test.reason, len(desired.Children), err)
		}
		degraded := meta.FindStatusCondition(desired.Status.Conditions, api.Degraded)
		if (degraded.Reason == "InvalidSpec") != (test.message != "") || !strings.Contains(degraded.Message, test.message) {
			t.Errorf("%s: Degraded is %v, want a message about %q", test.reason, degraded, test.message)
		}
	}
}
