package children

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// FlashVolumeName is the name of the volume of the flash tier.
	FlashVolumeName = "flash"
	flashDirectory  = "/flash"
)

// flashArgs returns the arguments that enable the flash tier. memcached truncates the file at its start. Versions before 1.6.22
// parse the path only after the page size.
func flashArgs(flash *v1alpha1.Flash) []string {
	if flash == nil {
		return nil
	}
	return []string{"-o", fmt.Sprintf("ext_page_size=%d,ext_wbuf_size=%d,ext_path=%s/extstore:%dM,ext_threads=%d,ext_item_size=%d",
		memory.Mebibytes(*flash.PageSize), memory.Mebibytes(*flash.WriteBuffer), flashDirectory, memory.FlashMiB(flash), *flash.Threads, flash.MinItemSize.Value())}
}

// flashVolumes returns a generic ephemeral volume. Kubernetes creates its claim for each pod and deletes the claim with the pod,
// because the items of a memcached that has stopped are lost. The restricted Pod Security Standard admits such volumes.
func flashVolumes(memcached *v1alpha1.Memcached) []corev1.Volume {
	flash := memcached.Spec.Flash
	if flash == nil {
		return nil
	}
	size := flash.Size.DeepCopy()
	size.RoundUp(resource.Milli) // as the API server does
	return []corev1.Volume{{Name: FlashVolumeName, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Labels: childLabels(memcached)},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				StorageClassName: flash.StorageClassName,
				Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
			},
		},
	}}}}
}

func flashMounts(flash *v1alpha1.Flash) []corev1.VolumeMount {
	if flash == nil {
		return nil
	}
	return []corev1.VolumeMount{{Name: FlashVolumeName, MountPath: flashDirectory}}
}
