package composite

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestChild(t *testing.T) {
	request := &Request[*corev1.ConfigMap, secrets, pods]{Children: secrets{GroupOf(observedObject{objectMetadata{"x", "n"}})}}
	if got, ok := request.Child(secret("n", "x")).(*observedObject); !ok || got.Metadata.Name != "x" {
		t.Errorf("Child returned %v", got)
	}
	for reason, desired := range map[string]*corev1.Secret{"another name": secret("n", "y"), "another namespace": secret("m", "x")} {
		if got := request.Child(desired); got != nil {
			t.Errorf("%s: %v", reason, got)
		}
	}
}
