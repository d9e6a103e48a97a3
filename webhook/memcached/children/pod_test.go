package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestPodWithoutSecrets checks that pods without TLS and authentication have none of their fields.
func TestPodWithoutSecrets(t *testing.T) {
	memcached := sample.New(1)
	pod := inputOf(memcached, 1).Template
	container := pod.Spec.Containers[0]
	if pod.Annotations != nil || pod.Spec.Volumes != nil || container.VolumeMounts != nil || container.Env != nil || len(container.Ports) != 1 {
		t.Errorf("a pod without TLS and authentication has their fields: %+v", pod)
	}
}

// TestPodKeepsTheOrderOfItsVolumes checks the order of volumes and mounts, because another order restarts all pods.
func TestPodKeepsTheOrderOfItsVolumes(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.TLS, memcached.Spec.Auth = &v1alpha1.TLS{SecretName: "certificate"}, &v1alpha1.Auth{SecretName: "users"}
	memcached.Spec.Flash = sample.Flash("1Gi")
	memcached = memcached.WithDefaults()
	pod := PodTemplate(memcached, Defaults{Images: Images{Reloader: "reloader:1"}}, memory.Of(&memcached.Spec))
	var volumes, mounts []string
	for _, volume := range pod.Spec.Volumes {
		volumes = append(volumes, volume.Name)
	}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		mounts = append(mounts, mount.Name)
	}
	want := []string{"tls", "auth", "sasl", "flash"}
	if diff := cmp.Diff(append(want, reloaderVolume().Name), volumes); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, mounts); diff != "" {
		t.Errorf("mounts of memcached (-want +got):\n%s", diff)
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
