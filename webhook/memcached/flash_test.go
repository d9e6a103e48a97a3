package memcached

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestFlashMiB(t *testing.T) {
	smallPages := sample.Flash("1Gi")
	smallPages.PageSize = sample.Quantity("2Mi")
	cases := []struct {
		reason string
		flash  *v1alpha1.Flash
		want   int64
	}{
		{"no flash", nil, 0},
		{"90 percent of 1024 MiB is 14 whole pages", sample.Flash("1Gi"), 14 * 64},
		{"a decimal size", sample.Flash("100G"), 85824},
		{"small pages", smallPages, 920},
	}
	for _, test := range cases {
		if got := flashMiB(test.flash); got != test.want {
			t.Errorf("%s: %d MiB, want %d", test.reason, got, test.want)
		}
	}
}

// TestFlashFitsIntoVolume checks that the file is smaller than the volume by the file system, and not empty.
func TestFlashFitsIntoVolume(t *testing.T) {
	for size := int64(1024); size < 1<<22; size = size * 5 / 4 {
		flash := sample.Flash("1Gi")
		flash.Size = mebibyteQuantity(size)
		if file := flashMiB(flash); file > size*9/10 || file < size*8/10 {
			t.Errorf("a file of %d MiB on a volume of %d MiB", file, size)
		}
	}
}

// TestFlashKeepsClaim checks that the claim is as the API server stores it, so that a rollout starts only for another spec.
func TestFlashKeepsClaim(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.Flash = sample.Flash("1500000000.5")
	claim := flashVolumes(memcached)[0].Ephemeral.VolumeClaimTemplate
	want := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1500000000500m")}
	if diff := cmp.Diff(want, claim.Spec.Resources.Requests); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
	if claim.Labels[nameLabel] != memcached.Name {
		t.Errorf("the labels of the claim are %v, want the name of the Memcached", claim.Labels)
	}
}

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
		{"the volume is not attached, or a Secret is missing", observed.PodStatus{StartTime: noon.Add(-time.Hour), Conditions: observed.PodConditions{mounting}}, true, "SecretNotMounted", "Secret tls exists and has the keys tls.crt and tls.key, and that the node can attach and mount the volume of claim cache-0-flash"},
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
