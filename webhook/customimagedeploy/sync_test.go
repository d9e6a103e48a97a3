package customimagedeploy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/object"
)

type observation = composite.Observed[*CustomImageDeploy, children, related]

func sample() *CustomImageDeploy {
	return &CustomImageDeploy{
		TypeMeta:   metav1.TypeMeta{APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "web", Generation: 3},
		Spec:       Spec{Image: "shop:1", Port: new(int32(8080)), Size: new(int32(2))},
	}
}

// running is a CustomImageDeploy of which everything is there and ready.
func running(deploy *CustomImageDeploy) observation {
	meta := object.Meta{Name: deploy.Name, Namespace: deploy.Namespace}
	workload := object.Workload{
		Meta:   object.Meta{Name: deploy.Name, Namespace: deploy.Namespace, Annotations: object.Annotations{ParentGeneration: "3"}},
		Spec:   object.WorkloadSpec{Replicas: new(int32(2))},
		Status: object.WorkloadStatus{Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2},
	}
	return observation{Parent: deploy, Children: children{
		Deployments: composite.GroupOf(workload),
		Services:    composite.GroupOf(object.Object{Meta: meta}),
		Ingresses:   composite.GroupOf(object.Ingress{Meta: meta}),
	}}
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

func TestSyncRefusesAnInvalidParent(t *testing.T) {
	deploy := sample()
	deploy.Spec.Port = nil
	desired, err := sync(running(deploy))
	parentError, ok := errors.AsType[*composite.ParentError](err)
	if !ok || !strings.Contains(parentError.Error(), "spec.port: Required value: say on which port the image answers HTTP") {
		t.Errorf("error %v, want one that its author can act on", err)
	}
	if len(desired.Children) > 0 {
		t.Errorf("it answers the children %v all the same", kinds(desired.Children))
	}
}
