package children

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// ReloaderName is the name of the reloader container, and of its volume.
	ReloaderName = "reloader"

	// markerDirectory is a volume of the reloader only. It survives restarts of the container.
	markerDirectory = "/run/memcached-operator"
)

// reloaderContainer returns the reloader of a server.
func reloaderContainer(spec *v1alpha1.MemcachedSpec, image string, cpu HelperCPU) corev1.Container {
	if listensOnLoopback(spec) {
		return Reloader(spec, image, loopbackPort, cpu)
	}
	return Reloader(spec, image, Port, cpu)
}

// Reloader returns the container that makes memcached reload its certificate and its passwords after the kubelet
// has updated their files. commandPort accepts commands on the loopback interface.
//
// It is a normal container, because memcached need not wait for it: memcached serves without the reloader.
func Reloader(spec *v1alpha1.MemcachedSpec, image string, commandPort int, cpu HelperCPU) corev1.Container {
	args := []string{"reload", fmt.Sprintf("--commands=127.0.0.1:%d", commandPort), "--marker=" + markerDirectory + "/failed"}
	mounts := []corev1.VolumeMount{{Name: ReloaderName, MountPath: markerDirectory}}
	for _, mount := range SecretMounts(spec) {
		switch mount.MountPath {
		case tlsDirectory:
			args = append(args, "--tls="+tlsDirectory)
		case authDirectory:
			if spec.AuthMode() != v1alpha1.AuthASCII {
				continue
			}
			args = append(args, "--passwords="+authDirectory+"/"+PasswordsKey)
		default:
			continue
		}
		mounts = append(mounts, mount)
	}
	return corev1.Container{
		Name:            ReloaderName,
		Image:           image,
		ImagePullPolicy: spec.ImagePullPolicy,
		Args:            args,
		Resources:       HelperResources(spec, 5, cpu),
		VolumeMounts:    mounts,
		SecurityContext: reloaderSecurityContext(spec.SecurityContext),
	}
}

// ReloaderVolume returns the volume of the reloader.
func ReloaderVolume() corev1.Volume {
	return corev1.Volume{Name: ReloaderName, VolumeSource: corev1.VolumeSource{
		// Memory does not stop the cluster autoscaler from removing a node.
		EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("1Mi"))},
	}}
}

// shareProcessNamespace returns true if the reloader sends memcached a signal. memcached has no command to reload the
// passwords of the ASCII protocol.
func shareProcessNamespace(spec *v1alpha1.MemcachedSpec, images Images) *bool {
	if !images.HasReloader() || spec.AuthMode() != v1alpha1.AuthASCII {
		return nil
	}
	return new(true)
}
