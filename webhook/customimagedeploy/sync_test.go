package customimagedeploy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
	"github.com/example/memcached-operator/webhook/observed"
)

func sample() *v1.CustomImageDeploy {
	return &v1.CustomImageDeploy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "CustomImageDeploy"},
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "web", Generation: 3},
		Spec:       v1.CustomImageDeploySpec{Image: "shop:1", Port: new(int32(8080)), Size: new(int32(2))},
	}
}

// running returns a request whose children all match the desired state and are ready.
func running(deploy *v1.CustomImageDeploy) syncRequest {
	workload := requests.Applied[observed.Workload](deployment(deploy))
	workload.Status = observed.WorkloadStatus{Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}
	pod := func(name string) observed.Pod {
		return observed.Pod{
			Meta:   observed.Meta{Name: name, Namespace: deploy.Namespace, Labels: selectorLabels(deploy)},
			Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		}
	}
	return syncRequest{
		Parent: deploy,
		Children: childGroups{
			Deployments: composite.GroupOf(workload),
			Services:    composite.GroupOf(requests.Applied[observed.Child](service(deploy))),
			Ingresses:   composite.GroupOf(requests.Applied[observed.Ingress](ingress(deploy))),
		},
		Related: relatedGroups{Pods: composite.GroupOf(pod("a"), pod("b"))},
	}
}

func kindsOf(objects []runtime.Object) []string {
	var kinds []string
	for _, object := range objects {
		kinds = append(kinds, object.GetObjectKind().GroupVersionKind().Kind)
	}
	return kinds
}

func TestSync(t *testing.T) {
	deployments := composite.GroupOf[observed.Workload]()
	services, ingresses := composite.GroupOf[observed.Child](), composite.GroupOf[observed.Ingress]()
	cases := []struct {
		reason  string
		listed  childGroups
		edit    func(*v1.CustomImageDeploySpec)
		want    []string
		message string // of Ready, if spec is invalid
	}{
		{"every kind is listed", childGroups{deployments, services, ingresses}, func(s *v1.CustomImageDeploySpec) { s.Host = "a.example" }, []string{"Deployment", "Service", "Ingress"}, ""},
		{"a kind that is not listed is neither created nor missing", childGroups{Deployments: deployments}, func(*v1.CustomImageDeploySpec) {}, []string{"Deployment"}, ""},
		{"a host of no Ingress", childGroups{Deployments: deployments, Services: services}, func(s *v1.CustomImageDeploySpec) { s.Host = "a.example" }, nil, "spec.host: Forbidden: requires an Ingress"},
		{"a class of no Ingress", childGroups{Deployments: deployments, Services: services}, func(s *v1.CustomImageDeploySpec) { s.IngressClassName = "public" }, nil, "spec.ingressClassName: Forbidden: requires an Ingress"},
	}
	for _, test := range cases {
		parent := sample()
		parent.Spec.Host, parent.Spec.IngressClassName = "", ""
		test.edit(&parent.Spec)
		desired, err := sync(syncRequest{Parent: parent, Children: test.listed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, kindsOf(desired.Children)); diff != "" {
			t.Errorf("%s: children (-want +got):\n%s", test.reason, diff)
		}
		ready := meta.FindStatusCondition(desired.Status.Conditions, api.Ready)
		if (ready.Reason == "InvalidSpec") != (test.message != "") || !strings.Contains(ready.Message, test.message) {
			t.Errorf("%s: Ready is %v, want the message %q", test.reason, ready, test.message)
		}
	}
}
