package children

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	// ContainerName is the name of the memcached container.
	ContainerName = "memcached"

	// userID is the UID of the user memcache in the official image. The image names the user only, and for runAsNonRoot the
	// kubelet needs a UID.
	userID = 11211
)

// Template is the pod template of the servers. It follows from spec and defaults alone.
type Template struct {
	corev1.PodTemplateSpec
	Defaults ReleaseDefaults
}

// PodTemplate returns the template of the server pods.
func PodTemplate(memcached *v1alpha1.Memcached, defaults ReleaseDefaults, size memory.Size) Template {
	pod := podSpec(memcached, defaults, size)
	placeServer(&pod, memcached)
	return Template{Defaults: defaults, PodTemplateSpec: corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: podLabels(memcached), Annotations: podAnnotations(&memcached.Spec)},
		Spec:       WithPodOptions(&memcached.Spec, pod, defaults.TolerationSeconds, keepalive(defaults.Images)...),
	}}
}

// WithPodOptions returns a hardened pod with the options in spec that all pods of a cache have: those of the servers, of the proxies and of
// the Job. tolerationSeconds and sysctls are defaults.
func WithPodOptions(spec *v1alpha1.MemcachedSpec, pod corev1.PodSpec, tolerationSeconds int64, sysctls ...corev1.Sysctl) corev1.PodSpec {
	pod.ImagePullSecrets = spec.ImagePullSecrets
	pod.SecurityContext = podSecurityContext(spec, sysctls)
	pod.ServiceAccountName = spec.ServiceAccountName
	pod.NodeSelector = spec.NodeSelector
	pod.Tolerations = tolerations(spec, tolerationSeconds)
	pod.PriorityClassName = spec.PriorityClassName
	return resources.HardenedPod(pod)
}

func podSpec(memcached *v1alpha1.Memcached, defaults ReleaseDefaults, size memory.Size) corev1.PodSpec {
	spec, images := memcached.Spec.ForServers(), defaults.Images
	return corev1.PodSpec{
		InitContainers:        holdContainers(spec, images, defaults.HelperCPU),
		Containers:            podContainers(spec, defaults, size),
		Volumes:               podVolumes(memcached, images),
		ShareProcessNamespace: shareProcessNamespace(spec, images),

		TerminationGracePeriodSeconds: new(GracePeriodSeconds(spec, images)),
	}
}

func podContainers(spec *v1alpha1.MemcachedSpec, defaults ReleaseDefaults, size memory.Size) []corev1.Container {
	images := defaults.Images
	containers := []corev1.Container{container(spec, images, size)}
	if spec.HasExporter() {
		containers = append(containers, exporterContainer(spec, images.Exporter, defaults.HelperCPU))
	}
	if images.HasReloader() {
		containers = append(containers, reloaderContainer(spec, images.Reloader, defaults.HelperCPU))
	}
	return containers
}

func podVolumes(memcached *v1alpha1.Memcached, images Images) []corev1.Volume {
	volumes := append(SecretVolumes(memcached.Spec.ForServers()), flashVolumes(memcached)...)
	if images.HasReloader() {
		volumes = append(volumes, ReloaderVolume())
	}
	return volumes
}

// container returns the container of memcached.
func container(spec *v1alpha1.MemcachedSpec, images Images, size memory.Size) corev1.Container {
	probes := containerProbes(spec, images)
	return corev1.Container{
		Name:            ContainerName,
		Image:           Image(spec, images),
		ImagePullPolicy: spec.ImagePullPolicy,
		Command:         commandLine(spec, size),
		Env:             saslEnv(spec),
		Ports:           ContainerPorts(ClientPorts(spec)),
		Resources:       containerResources(spec.Resources, size),
		StartupProbe:    probes.startup,
		ReadinessProbe:  probes.readiness,
		LivenessProbe:   probes.liveness,
		Lifecycle:       serverLifecycle(spec, images),
		VolumeMounts:    append(SecretMounts(spec), flashMounts(spec.Flash)...),
		SecurityContext: ContainerSecurityContext(spec.SecurityContext),

		TerminationMessagePolicy: terminationMessagePolicy(spec),
	}
}

// Lifecycle delays SIGTERM, so that a terminating pod keeps serving for a while. On SIGTERM, memcached closes its
// connections immediately.
func Lifecycle(seconds int64) *corev1.Lifecycle {
	if seconds == 0 {
		return nil
	}
	return &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: seconds}}}
}

// terminationMessagePolicy makes the kubelet keep the end of the log if memcached uses Secrets or flash. An invalid Secret or a
// volume without permission can make memcached exit, and only its log contains the cause.
func terminationMessagePolicy(spec *v1alpha1.MemcachedSpec) corev1.TerminationMessagePolicy {
	if spec.TLS == nil && spec.Auth == nil && spec.Flash == nil {
		return ""
	}
	return corev1.TerminationMessageFallbackToLogsOnError
}
