package memcached

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/observed"
)

const (
	reloaderName = "reload"

	// markerFolder outlives the reloader's container, and nothing else is in it.
	markerFolder = "/run/memcached-operator"
)

// reloaderImage returns the image of the reloader; "" for none. It is the configured one, except that pods which run another
// keep that as long as nothing else replaces them: an upgrade of the operator must not empty a cache.
func reloaderImage(configured string, memcached *v1alpha1.Memcached, p plan, observedWorkload *observed.Workload, pods []*observed.Pod) (string, error) {
	if !reloads(&memcached.Spec) {
		return "", nil
	}
	if observedWorkload == nil {
		return configured, nil
	}
	running := observedWorkload.Image(reloaderName)
	if running == configured || running == "" || running != observedWorkload.Annotations[reloaderAnnotation] || slices.ContainsFunc(pods, reloaderFails) {
		return configured, nil
	}
	p.reloaderImage = running
	changed, err := merge.TemplateDifference(workload(memcached, p), observedWorkload)
	if err != nil || changed != "" {
		return configured, err
	}
	return running, nil
}

// reloaderFails reports whether the reloader of a pod cannot run. One that exits to report a Secret can.
func reloaderFails(pod *observed.Pod) bool {
	for _, container := range pod.Status.ContainerStatuses {
		waiting := container.State.Waiting
		if container.Name != reloaderName || waiting == nil {
			continue
		}
		switch waiting.Reason {
		case "", "ContainerCreating", "PodInitializing":
			return false
		case conditions.ReasonCrashLoopBackOff:
			end := container.LastState.Terminated
			return end == nil || end.ExitCode != 0 && (end.ExitCode != 1 || end.Message == "")
		}
		return true
	}
	return false
}

// reloader has memcached read its certificate and its passwords again when the kubelet has brought their files up to date.
//
// It is a container like memcached's, and not one that has to start before it: a cache does its work without it.
func reloader(spec *v1alpha1.MemcachedSpec, image string) corev1.Container {
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
			if authMode(spec) != v1alpha1.AuthASCII {
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
		VolumeMounts:    mounts,
		SecurityContext: reloaderSecurityContext(spec.SecurityContext),
	}
}

func reloaderVolume() corev1.Volume {
	return corev1.Volume{Name: reloaderName, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Mi"))},
	}}
}

// sharesProcesses is true where memcached is told by a signal: it knows no command by which it would read the passwords
// of ASCII mode.
func sharesProcesses(spec *v1alpha1.MemcachedSpec, p plan) *bool {
	if p.reloaderImage == "" || authMode(spec) != v1alpha1.AuthASCII {
		return nil
	}
	return new(true)
}
