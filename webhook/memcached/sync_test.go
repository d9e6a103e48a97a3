package memcached

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestSyncKeepsItsInput(t *testing.T) {
	request, want := observe(sample.New(2)), observe(sample.New(2))
	request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionTrue}}
	want.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionTrue}}
	if _, err := (Config{}).sync(request); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Parent, request.Parent); diff != "" {
		t.Errorf("sync changed the parent (-before +after):\n%s", diff)
	}
	for pod := range request.Related.Pods.All() {
		if pod.Name != "cache-1" || len(pod.Labels) != 2 {
			t.Errorf("sync changed a pod: %v", pod)
		}
	}
}

func TestSyncKeepsTheWorkload(t *testing.T) {
	request := observe(sample.New(2))
	request.Parent.Spec.Workload, request.Parent.Spec.Proxy = "", &v1alpha1.Proxy{}
	_, err := (Config{}).sync(request)
	if _, ok := errors.AsType[*composite.ParentError](err); !ok {
		t.Errorf("the running Deployment would be deleted, although spec does not say so: %v", err)
	}
	request = observe(sample.New(2))
	request.Parent.Spec.Workload = v1alpha1.StatefulSetWorkload
	if _, err = (Config{}).sync(request); err != nil {
		t.Errorf("spec replaces the Deployment explicitly: %v", err)
	}
	request = observe(sample.New(2))
	request.Children.StatefulSets, request.Children.Deployments = request.Children.Deployments, composite.GroupOf[observed.Workload]()
	if _, err = (Config{}).sync(request); err == nil {
		t.Error("the running StatefulSet would be deleted")
	}
	for _, replicas := range []*int32{nil, new(int32(-1))} {
		request = observe(sample.New(2))
		for workload := range request.Children.Deployments.All() {
			workload.Spec.Replicas = replicas
		}
		_, err = (Config{}).sync(request)
		if _, ok := errors.AsType[*composite.RequestError](err); !ok {
			t.Errorf("a workload without spec.replicas was accepted: %v", err)
		}
	}
}
