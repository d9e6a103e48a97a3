package children

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/sample"
)

// TestPodWithoutSecrets checks that pods without TLS and authentication have none of their fields.
func TestPodWithoutSecrets(t *testing.T) {
	memcached := sample.New(1)
	pod := PodTemplate(memcached, planOf(memcached, 1))
	container := pod.Spec.Containers[0]
	if pod.Annotations != nil || pod.Spec.Volumes != nil || container.VolumeMounts != nil || container.Env != nil || len(container.Ports) != 1 {
		t.Errorf("a pod without TLS and authentication has their fields: %+v", pod)
	}
}

func TestTopologySpreadConstraints(t *testing.T) {
	memcached := sample.New(1)
	for _, constraint := range TopologySpreadConstraints(memcached) {
		if constraint.WhenUnsatisfiable != corev1.ScheduleAnyway {
			t.Errorf("the default prevents a cluster with one node from running all pods: %v", constraint)
		}
	}
	own := corev1.TopologySpreadConstraint{MaxSkew: 2, TopologyKey: "rack", WhenUnsatisfiable: corev1.DoNotSchedule}
	memcached.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{own}
	got := TopologySpreadConstraints(memcached)
	if len(got) != 1 || got[0].LabelSelector == nil || got[0].TopologyKey != "rack" {
		t.Errorf("a constraint of the spec does not replace the defaults, or does not select the pods of the cache: %v", got)
	}
	if memcached.Spec.TopologySpreadConstraints[0].LabelSelector != nil {
		t.Error("the function changed its input")
	}
}
