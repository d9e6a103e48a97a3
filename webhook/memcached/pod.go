package memcached

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/resources"
)

// DefaultImage runs where spec.image is empty.
const DefaultImage = "memcached:1.6.45-alpine"

const (
	containerName = "memcached"

	// userID is the user memcache of the official image. The image names it by name only, and the kubelet refuses
	// runAsNonRoot without a number.
	userID = 11211
)

func podTemplate(memcached *v1alpha1.Memcached, p plan) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: podLabels(memcached), Annotations: podAnnotations(&memcached.Spec)},
		Spec:       resources.HardenedPod(podSpec(memcached, p)),
	}
}

func podSpec(memcached *v1alpha1.Memcached, p plan) corev1.PodSpec {
	spec := &memcached.Spec
	return corev1.PodSpec{
		Containers:            containers(spec, p),
		Volumes:               volumes(spec, p),
		ShareProcessNamespace: sharesProcesses(spec, p),
		ImagePullSecrets:      spec.ImagePullSecrets,

		SecurityContext: podSecurityContext(spec.PodSecurityContext),
		// Named even when it is the default one: of a name that is left out the API server keeps the last.
		ServiceAccountName: cmp.Or(spec.ServiceAccountName, "default"),

		Affinity:                  spec.Affinity,
		NodeSelector:              spec.NodeSelector,
		Tolerations:               spec.Tolerations,
		TopologySpreadConstraints: spread(memcached),
		PriorityClassName:         spec.PriorityClassName,

		TerminationGracePeriodSeconds: new(ptr.Deref(spec.TerminationGracePeriodSeconds, defaultTerminationGracePeriodSeconds)),
	}
}

// containers are memcached, and what serves beside it.
func containers(spec *v1alpha1.MemcachedSpec, p plan) []corev1.Container {
	all := []corev1.Container{container(spec, p.memory)}
	if exports(spec) {
		all = append(all, exporter(spec))
	}
	if p.reloaderImage != "" {
		all = append(all, reloader(spec, p.reloaderImage))
	}
	return all
}

func volumes(spec *v1alpha1.MemcachedSpec, p plan) []corev1.Volume {
	all := secretVolumes(spec)
	if p.reloaderImage != "" {
		all = append(all, reloaderVolume())
	}
	return all
}

func container(spec *v1alpha1.MemcachedSpec, memory memorySize) corev1.Container {
	probes := probesOf(spec)
	return corev1.Container{
		Name:            containerName,
		Image:           cmp.Or(spec.Image, DefaultImage),
		ImagePullPolicy: spec.ImagePullPolicy,
		Command:         command(spec, memory),
		Env:             saslEnv(spec),
		Ports:           containerPorts(clientPorts(spec)),
		Resources:       containerResources(spec.Resources, memory),
		StartupProbe:    probes.startup,
		ReadinessProbe:  probes.readiness,
		LivenessProbe:   probes.liveness,
		Lifecycle:       lifecycle(spec),
		VolumeMounts:    secretMounts(spec),
		SecurityContext: containerSecurityContext(spec.SecurityContext),

		TerminationMessagePolicy: terminationMessage(spec),
	}
}

// lifecycle lets a pod that is going serve on for a while: memcached closes its connections at once when it is told to
// end.
func lifecycle(spec *v1alpha1.MemcachedSpec) *corev1.Lifecycle {
	seconds := ptr.Deref(spec.PreStopSleepSeconds, defaultPreStopSleepSeconds)
	if seconds == 0 {
		return nil
	}
	return &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: seconds}}}
}

// spread asks for a spread over nodes and zones as far as they go, unless another was asked for.
func spread(memcached *v1alpha1.Memcached) []corev1.TopologySpreadConstraint {
	own := &metav1.LabelSelector{MatchLabels: selectorLabels(memcached)}
	if len(memcached.Spec.TopologySpreadConstraints) == 0 {
		return []corev1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: own},
			{MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: own},
		}
	}
	var constraints []corev1.TopologySpreadConstraint
	for _, constraint := range memcached.Spec.TopologySpreadConstraints {
		if constraint.LabelSelector == nil {
			constraint.LabelSelector = own
		}
		constraints = append(constraints, constraint)
	}
	return constraints
}
