package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// volumes is the number of volumes of a cluster. Each is used once, because nothing deletes the data of a released volume.
const volumes = 20

// createVolumes creates a default StorageClass with volumes that each node can use. kwok mounts nothing.
func (c *Cluster) createVolumes(ctx context.Context) error {
	class := &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: "standard", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner:       "kubernetes.io/no-provisioner",
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	if err := c.Client.Create(ctx, class); err != nil {
		return fmt.Errorf("create StorageClass %s: %w", class.Name, err)
	}
	for i := range volumes {
		volume := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("volume-%d", i)},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:                      corev1.ResourceList{corev1.ResourceStorage: apiresource.MustParse("1Ti")},
				AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				StorageClassName:              class.Name,
				PersistentVolumeSource:        corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/volumes"}},
			},
		}
		if err := c.Client.Create(ctx, volume); err != nil {
			return fmt.Errorf("create PersistentVolume %s: %w", volume.Name, err)
		}
	}
	return nil
}
