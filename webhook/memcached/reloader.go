package memcached

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/object"
)

const (
	reloaderName = "reload"

	// markerFolder outlives the reloader's container, and nothing else is in it.
	markerFolder = "/run/memcached-operator"
)

// reloads is true where memcached reads a Secret when it starts, and then only when it is told to. The passwords of SASL
// it reads at each login.
func (s *Spec) reloads() bool { return s.TLS != nil || s.authMode() == AuthASCII }

// reloaderImage is the one that the cache's pods have already: another would replace them all, and empty the cache, at
// each upgrade of the hook. It changes along with memcached's own, for which they are replaced anyway. "" is none.
func reloaderImage(configured string, spec *Spec, workload *object.Workload) string {
	if !spec.reloads() {
		return ""
	}
	if workload == nil || workload.Image(containerName) != cmp.Or(spec.Image, DefaultImage) {
		return configured
	}
	return cmp.Or(workload.Image(reloaderName), configured)
}

// reloader has memcached read its certificate and its passwords again when the kubelet has brought their files up to date.
//
// It is a container like memcached's, and not one that has to start before it: a cache does its work without it.
func reloader(spec *Spec, image string) corev1.Container {
	commands := port
	if listensOnLoopback(spec) {
		commands = loopbackPort
	}
	args := []string{"reload", fmt.Sprintf("-commands=127.0.0.1:%d", commands), "-marker=" + markerFolder + "/failed"}
	mounts := []corev1.VolumeMount{{Name: reloaderName, MountPath: markerFolder}}
	for _, mount := range secretMounts(spec) {
		switch mount.MountPath {
		case tlsFolder:
			args = append(args, "-tls="+tlsFolder)
		case authFolder:
			if spec.authMode() != AuthASCII {
				continue
			}
			args = append(args, "-passwords="+authFolder+"/"+passwordsKey)
		default:
			continue
		}
		mounts = append(mounts, mount)
	}
	return corev1.Container{
		Name:            reloaderName,
		Image:           image,
		ImagePullPolicy: spec.ImagePullPolicy,
		Args:            args,
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("5m"),
				corev1.ResourceMemory: resource.MustParse("32Mi"),
			},
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
		},
		VolumeMounts: mounts,
		// The user of memcached, whom alone the kernel lets send it a signal.
		SecurityContext: containerSecurityContext(spec.SecurityContext),
	}
}

func reloaderVolume() corev1.Volume {
	return corev1.Volume{Name: reloaderName, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))},
	}}
}

// sharesProcesses is true where memcached is told by a signal: it knows no command by which it would read the passwords
// of ASCII mode.
func sharesProcesses(spec *Spec, reloaderImage string) *bool {
	if reloaderImage == "" || spec.authMode() != AuthASCII {
		return nil
	}
	return new(true)
}
