package children

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestPodLabelsKeepOwned(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.PodLabels = map[string]v1alpha1.LabelValue{"app": "other", "team": "shop"}
	got := inputOf(memcached, 1).Template.Labels
	if got["app"] != "memcached" || got["team"] != "shop" {
		t.Errorf("the pod labels are %v: the selector must match, and other labels of the spec must be set", got)
	}
}
