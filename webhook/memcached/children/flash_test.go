package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// TestFlashFitsIntoVolume checks that the file is smaller than the volume by the file system, and not empty.
func TestFlashFitsIntoVolume(t *testing.T) {
	for size := int64(1024); size < 1<<22; size = size * 5 / 4 {
		flash := sample.Flash("1Gi")
		flash.Size = memory.MebibyteQuantity(size)
		if file := memory.FlashMiB(flash); file > size*9/10 || file < size*8/10 {
			t.Errorf("a file of %d MiB on a volume of %d MiB", file, size)
		}
	}
}

// TestFlashKeepsClaim checks that the claim is as the API server stores it, so that a rollout starts only for another spec.
func TestFlashKeepsClaim(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.Flash = sample.Flash("1500000000.0005")
	claim := flashVolumes(memcached)[0].Ephemeral.VolumeClaimTemplate
	want := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1500000000001m")}
	if diff := cmp.Diff(want, claim.Spec.Resources.Requests); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
	if claim.Labels[NameLabel] != memcached.Name {
		t.Errorf("the labels of the claim are %v, want the name of the Memcached", claim.Labels)
	}
}
