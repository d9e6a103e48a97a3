package parents

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	customimagedeploy "github.com/example/memcached-operator/webhook/customimagedeploy/v1"
	"github.com/example/memcached-operator/webhook/memcached"
	memcachedv1alpha1 "github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	nginx "github.com/example/memcached-operator/webhook/nginx/v1alpha1"
	xca "github.com/example/memcached-operator/webhook/xca/v1beta1"
)

// TestSchemesHaveParents checks that the API types of each parent, and their lists, can be added to the scheme of a client.
func TestSchemesHaveParents(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{memcachedv1alpha1.AddToScheme, nginx.AddToScheme, customimagedeploy.AddToScheme, xca.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	for _, controller := range Controllers(memcached.Config{}) {
		list := controller.Parent.GroupVersion().WithKind(controller.Parent.Kind + "List")
		if !scheme.Recognizes(controller.Parent) || !scheme.Recognizes(list) {
			t.Errorf("no package adds %s and %s to a scheme", controller.Parent, list.Kind)
		}
	}
}
