package memcached

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
)

// TestKeepRunningHelpers checks that an upgrade gives no CPU limit to the helpers of pods that run without one.
func TestKeepRunningHelpers(t *testing.T) {
	memcached := sample.New(2)
	memcached.Spec.Metrics.Enabled = true
	memcached.Spec.Resources = corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: *sample.Quantity("1")}}
	for reason, test := range map[string]struct {
		running children.HelperCPU
		threads int32
		want    string
	}{
		"the limit is new":                           {0, 4, "0"},
		"an earlier release had another limit":       {10, 4, "100m"},
		"the limit is new, and the template changes": {0, 2, "200m"},
	} {
		request := settledDefaults(memcached.DeepCopy(), children.ReleaseDefaults{HelperCPU: test.running})
		request.Parent.Spec.Cache.Threads = new(test.threads)
		desired, err := (Config{}).sync(request)
		if err != nil {
			t.Fatal(err)
		}
		for _, child := range desired.Children {
			if workload, ok := child.(*appsv1.Deployment); ok {
				if got := workload.Spec.Template.Spec.Containers[1].Resources.Limits.Cpu().String(); got != test.want {
					t.Errorf("%s: the CPU limit of the exporter is %s, want %s", reason, got, test.want)
				}
			}
		}
	}
}
