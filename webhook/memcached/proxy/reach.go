package proxy

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

/*
A proxy starts when it has reached a server. Otherwise a rollout with a wrong name, a NetworkPolicy that does not allow its connections, or a
memcached that cannot run the routes would replace all proxies that serve.

The probe runs a copy of this program in the container of the proxy: its image need not have a shell, and no other container has to run.
*/

const (
	// ReachName is the name of the init container that copies this program, and of the volume with the copy.
	ReachName = "reach"

	// reachDirectory is not the path of the program in its image: nothing can be mounted on a file.
	reachDirectory = "/reach"
	reachProgram   = reachDirectory + "/memcached-operator"
	// reachWait is how long the probe tries. Each attempt is a new process, so it is not too short.
	reachWait = 8 * time.Second
)

// reachContainers returns the init container. Its image is not pulled again, like that of the sidecar hold.
func reachContainers(spec *v1alpha1.MemcachedSpec, defaults ReleaseDefaults) []corev1.Container {
	image := defaults.ReachImage
	if image == "" {
		return nil
	}
	return []corev1.Container{{
		Name:            ReachName,
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Args:            []string{"reach", "--copy-to=" + reachProgram},
		Resources:       children.HelperResources(spec, 5, defaults.HelperCPU),
		VolumeMounts:    reachMounts(image, false),
		SecurityContext: resources.RestrictedContainer(),
	}}
}

func reachVolumes(image string) []corev1.Volume {
	if image == "" {
		return nil
	}
	return []corev1.Volume{{Name: ReachName, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
}

func reachMounts(image string, readOnly bool) []corev1.VolumeMount {
	if image == "" {
		return nil
	}
	return []corev1.VolumeMount{{Name: ReachName, MountPath: reachDirectory, ReadOnly: readOnly}}
}

// startupProbe keeps clients from a proxy that has not reached a server yet: it returns misses for their keys.
//
// While no server runs, it fails for about a day. Then, or earlier without a probe, the kubelet would restart the proxy, with a delay that
// doubles, and the proxy would be late when the servers are back.
func startupProbe(image string, port corev1.ServicePort) *corev1.Probe {
	if image == "" {
		probe := children.ConnectProbe(port.Name, 1, 3, 30)
		probe.InitialDelaySeconds = 2 // an attempt to connect fails after 1.4 seconds, and the second one follows immediately
		return probe
	}
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{
			reachProgram, "reach", fmt.Sprintf("--proxy=127.0.0.1:%d", port.Port), "--wait=" + reachWait.String(),
		}}},
		PeriodSeconds:    1,
		TimeoutSeconds:   int32(reachWait.Seconds()) + 2,
		FailureThreshold: 10_000,
	}
}
