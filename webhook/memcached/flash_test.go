package memcached

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestFlashProblems checks that the status explains pods that wait for their volumes.
func TestFlashProblems(t *testing.T) {
	scheduled := observed.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		Message: "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.", LastTransitionTime: noon.Add(-time.Hour),
	}
	mounting := observed.PodCondition{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}
	cases := []struct {
		reason  string
		pod     observed.PodStatus
		secret  bool
		want    string
		message string
	}{
		{"no volume is free", observed.PodStatus{Conditions: observed.PodConditions{scheduled}}, false, "VolumeClaimPending", `claim cache-0-flash for 100Gi of the StorageClass "local"`},
		{"the volume is not attached", observed.PodStatus{StartTime: noon.Add(-time.Hour), Conditions: observed.PodConditions{mounting}}, false, "FlashNotMounted", "the volume of claim cache-0-flash"},
		{"the volume is not attached, or a Secret is missing", observed.PodStatus{StartTime: noon.Add(-time.Hour), Conditions: observed.PodConditions{mounting}}, true, "SecretNotMounted", "Secret tls exists and contains the keys tls.crt and tls.key, and that the node can attach and mount the volume of claim cache-0-flash"},
	}
	for _, test := range cases {
		memcached := sample.New(1)
		memcached.Spec.Flash = sample.Flash("100Gi")
		memcached.Spec.Flash.StorageClassName = new("local")
		if test.secret {
			memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "tls"}
		}
		request := observe(memcached)
		for pod := range request.Related.Pods.All() {
			pod.Name, pod.Status = "cache-0", test.pod
		}
		request.Now = metav1.NewTime(noon.Time)
		if got := conditionsOf(t, Config{}, request)[api.Degraded]; got.Reason != test.want || !strings.Contains(got.Message, test.message) {
			t.Errorf("%s: Degraded is %s: %s, want %s with %q", test.reason, got.Reason, got.Message, test.want, test.message)
		}
	}
}
