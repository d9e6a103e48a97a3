package memcached

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/object"
)

// missing says which of the desired children beside the workload is not there, or nil. Pods serve without them, and yet
// clients may find none of them, or everybody may. Metacontroller says nothing where another owner's object has the name.
func missing(beside []runtime.Object, observed children) *object.Problem {
	for _, child := range beside {
		kind, name := child.GetObjectKind().GroupVersionKind().Kind, child.(metav1.Object).GetName()
		switch found := observed.find(child); {
		case found == nil:
			return &object.Problem{Reason: kind + "Missing", Message: fmt.Sprintf("%s %s is not there yet; if it does not come, one that belongs to something else has its name, or an Event says why it is refused", kind, name)}
		case found.Terminating():
			return &object.Problem{Reason: kind + "Missing", Message: fmt.Sprintf("%s %s is being deleted; once it is gone, it is made anew", kind, name)}
		}
	}
	return nil
}

// find returns what is observed of a desired child beside the workload.
func (c children) find(child runtime.Object) *object.Object {
	namespace, name := child.(metav1.Object).GetNamespace(), child.(metav1.Object).GetName()
	switch child.(type) {
	case *corev1.Service:
		return c.Services.Get(namespace, name)
	case *policyv1.PodDisruptionBudget:
		return c.PodDisruptionBudgets.Get(namespace, name)
	case *networkingv1.NetworkPolicy:
		return c.NetworkPolicies.Get(namespace, name)
	case *unstructured.Unstructured:
		return c.ServiceMonitors.Get(namespace, name)
	}
	return nil
}
