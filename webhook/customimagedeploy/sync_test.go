package customimagedeploy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

func sample() *CustomImageDeploy {
	return &CustomImageDeploy{
		TypeMeta:   metav1.TypeMeta{APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "web", Generation: 3},
		Spec:       Spec{Image: "shop:1", Port: new(int32(8080)), Size: new(int32(2))},
	}
}

// running is a CustomImageDeploy whose children are all as desired and ready.
func running(deploy *CustomImageDeploy) observation {
	workload := observedAs[observed.Workload](deployment(deploy))
	workload.Status = observed.WorkloadStatus{Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}
	pod := func(name string) observed.Pod {
		return observed.Pod{
			Meta:   observed.Meta{Name: name, Namespace: deploy.Namespace, Labels: selectorLabels(deploy)},
			Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		}
	}
	return observation{
		Parent: deploy,
		Children: children{
			Deployments: composite.GroupOf(workload),
			Services:    composite.GroupOf(observedAs[observed.Child](service(deploy))),
			Ingresses:   composite.GroupOf(observedAs[observed.Ingress](ingress(deploy))),
		},
		Related: related{Pods: composite.GroupOf(pod("a"), pod("b"))},
	}
}

// observedAs returns the view of a child once Metacontroller has applied it.
func observedAs[T any](child runtime.Object) T {
	var view T
	applied, err := json.Marshal(child)
	if err == nil {
		child.(metav1.Object).SetAnnotations(map[string]string{observed.LastAppliedAnnotation: string(applied), resources.ParentGenerationAnnotation: "3"})
		applied, err = json.Marshal(child)
	}
	if err == nil {
		err = jsonv2.Unmarshal(applied, &view)
	}
	if err != nil {
		panic(err)
	}
	return view
}

func kinds(objects []runtime.Object) []string {
	var kinds []string
	for _, o := range objects {
		kinds = append(kinds, o.GetObjectKind().GroupVersionKind().Kind)
	}
	return kinds
}

func TestSync(t *testing.T) {
	desired, err := sync(observation{Parent: sample()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Deployment", "Service", "Ingress"}, kinds(desired.Children)); diff != "" {
		t.Errorf("one resource stands for three (-want +got):\n%s", diff)
	}
}

// TestSyncKeepsChildrenOfAnInvalidParent: what runs stays exactly as it was applied, and status says why.
func TestSyncKeepsChildrenOfAnInvalidParent(t *testing.T) {
	request := running(sample())
	request.Parent.Spec.Port, request.Parent.Spec.Image = nil, "other:1"
	desired, err := sync(request)
	if err != nil {
		t.Fatal(err)
	}
	want := published(sample())
	for i, child := range desired.Children {
		if diff := cmp.Diff(encoded(want[i]), encoded(child)); diff != "" {
			t.Errorf("the child changes (-applied +returned):\n%s", diff)
		}
	}
	ready := meta.FindStatusCondition(desired.Status.Conditions, api.Ready)
	if len(desired.Children) != len(want) || ready.Reason != conditions.ReasonInvalidSpec || !strings.Contains(ready.Message, "spec.port: Required value: say on which port the image answers HTTP") {
		t.Errorf("%d children, Ready is %v", len(desired.Children), ready)
	}
}

// TestSyncRefusesAnInvalidParent: children that cannot be returned as they are must not be returned at all.
func TestSyncRefusesAnInvalidParent(t *testing.T) {
	request := running(sample())
	request.Parent.Spec.Port = nil
	for service := range request.Children.Services.All() {
		service.Annotations = nil
	}
	_, err := sync(request)
	if _, ok := errors.AsType[*composite.ParentError](err); !ok {
		t.Errorf("error %v, want one that its author can act on", err)
	}
}

func encoded(child runtime.Object) string {
	text, err := json.Marshal(child)
	if err != nil {
		panic(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		panic(err)
	}
	delete(fields, "status")
	text, _ = json.Marshal(fields)
	return string(text)
}
