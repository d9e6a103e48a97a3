package proxy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	configDirectory = "/etc/memcached-proxy"
	// The kubelet writes these annotations of a proxy pod to files. A ConfigMap would not change the pod template, and
	// Metacontroller would watch every ConfigMap of the cluster.
	libraryAnnotation = "memcached-operator.example.com/proxy-library"
	libraryFile       = "library.lua"
	configAnnotation  = "memcached-operator.example.com/proxy-config"
	configFile        = "config.lua"
)

// Template is the pod template of the proxies. It follows from spec, the defaults of the operator and the routes alone.
type Template struct {
	corev1.PodTemplateSpec
	Defaults ReleaseDefaults
}

// PodTemplate returns the pod template of proxies with some routes. Their configuration is part of it, so that a change of the routes is a
// rollout, and the status of the Deployment reports when it has finished.
func PodTemplate(memcached *v1alpha1.Memcached, defaults ReleaseDefaults, size memory.Size, routes moves.Routes) Template {
	pod := podSpec(memcached, defaults, size)
	place(&pod, memcached, routes)
	return Template{Defaults: defaults, PodTemplateSpec: corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: PodLabels(memcached, routes), Annotations: PodAnnotations(memcached, defaults, routes)},
		Spec:       children.WithPodOptions(&memcached.Spec, pod, defaults.TolerationSeconds),
	}}
}

func deployment(in *Input) runtime.Object {
	memcached, unavailable := in.Memcached, intstr.FromInt32(0)
	if in.Decision.Unreached {
		unavailable = intstr.FromString("100%")
	}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: objectMeta(memcached, annotations(memcached, in.Template.Defaults)),
		Spec: appsv1.DeploymentSpec{
			Replicas: &in.Decision.ProxyReplicas,
			Selector: &metav1.LabelSelector{MatchLabels: children.ProxySelector(memcached)},
			Template: in.Template.PodTemplateSpec,
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge:       new(intstr.FromString("100%")), // a change of the servers is a rollout for each phase
					MaxUnavailable: &unavailable,
				},
			},
			ProgressDeadlineSeconds: new(int32(children.ProgressDeadlineSeconds)),
		},
	}
}

// PodAnnotations returns the annotations of the proxy pods, which have their configuration.
func PodAnnotations(memcached *v1alpha1.Memcached, defaults ReleaseDefaults, routes moves.Routes) map[string]string {
	names := func(p moves.Pool) []string { return children.ServerNames(memcached, defaults.Domain, p.BySlot()) }
	// Otherwise, the cluster autoscaler removes no node with a proxy.
	// https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md
	annotations := map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": ReachName}
	maps.Copy(annotations, memcached.Spec.PodAnnotations)
	annotations[libraryAnnotation] = defaults.Library
	annotations[configAnnotation] = Config(names(routes.From), names(routes.To), routes.Phase)
	return annotations
}

// podSpec returns a pod without the options of all pods of a cache, and without what [place] sets.
func podSpec(memcached *v1alpha1.Memcached, defaults ReleaseDefaults, size memory.Size) corev1.PodSpec {
	spec := &memcached.Spec
	containers := []corev1.Container{container(spec, defaults, size)}
	volumes := slices.Concat([]corev1.Volume{configVolume()}, children.SecretVolumes(spec), reachVolumes(defaults.ReachImage))
	if defaults.ExporterImage != "" {
		containers = append(containers, exporter(spec, defaults))
	}
	if spec.TLS != nil && defaults.ReachImage != "" {
		containers = append(containers, children.Reloader(spec, defaults.ReachImage, commandPort, defaults.HelperCPU))
		volumes = append(volumes, children.ReloaderVolume())
	}
	return corev1.PodSpec{
		InitContainers: reachContainers(spec, defaults),
		Containers:     containers,
		Volumes:        volumes,

		TerminationGracePeriodSeconds: spec.TerminationGracePeriodSeconds,
		DNSConfig:                     dnsConfig(),
	}
}

// dnsConfig returns options of the resolver. While a name is resolved, a thread of the proxy serves no command. By default, a
// DNS server that does not respond would stop it for up to 40 seconds when one server is down.
func dnsConfig() *corev1.PodDNSConfig {
	return &corev1.PodDNSConfig{Options: []corev1.PodDNSConfigOption{
		{Name: "timeout", Value: new("1")}, // seconds
		{Name: "attempts", Value: new("1")},
	}}
}

func container(spec *v1alpha1.MemcachedSpec, defaults ReleaseDefaults, size memory.Size) corev1.Container {
	plain := plainPort(spec)
	mounts := []corev1.VolumeMount{{Name: ContainerName, MountPath: configDirectory, ReadOnly: true}}
	return corev1.Container{
		Name:            ContainerName,
		Image:           cmp.Or(spec.Image, defaults.Image),
		ImagePullPolicy: spec.ImagePullPolicy,
		Command:         command(spec, size),
		Ports:           children.ContainerPorts(allPorts(spec)),
		Resources:       containerResources(spec),
		StartupProbe:    startupProbe(defaults.ReachImage, plain),
		ReadinessProbe:  children.ConnectProbe(plain.Name, 5, 3, 3),
		LivenessProbe:   children.ConnectProbe(plain.Name, 10, 5, 6),
		Lifecycle:       children.Lifecycle(*spec.Proxy.PreStopSleepSeconds),
		VolumeMounts:    slices.Concat(mounts, children.SecretMounts(spec), reachMounts(defaults.ReachImage, true)),
		SecurityContext: children.ContainerSecurityContext(spec.SecurityContext),
		// The log of a proxy that cannot start names the line of the configuration.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// command returns the command line of a proxy. It stores no items, but memcached requires that an item is at most half
// of the memory, so both have the values of the servers.
func command(spec *v1alpha1.MemcachedSpec, size memory.Size) []string {
	return append([]string{
		"memcached",
		"-m", strconv.FormatInt(size.ItemMiB, 10),
		"-c", strconv.FormatInt(*spec.Cache.MaxConnections, 10),
		"-t", strconv.FormatInt(int64(*spec.Cache.Threads), 10),
		"-I", children.ItemSizeArg(*spec.Cache.MaxItemSize),
		"-p", strconv.Itoa(children.Port),
		"-U", "0",
		"-o", Options(configDirectory+"/"+libraryFile, configDirectory+"/"+configFile),
	}, listenArgs(spec)...)
}

// containerResources returns the resources of the spec, or defaults that a proxy did not exceed in tests.
func containerResources(spec *v1alpha1.MemcachedSpec) corev1.ResourceRequirements {
	return children.ResourcesOr(spec.Proxy.Resources, corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
		Limits: corev1.ResourceList{corev1.ResourceMemory: *memory.MebibyteQuantity(memory.ProxyLimitMiB(spec))},
	})
}

func configVolume() corev1.Volume {
	file := func(name, annotation string) corev1.DownwardAPIVolumeFile {
		return corev1.DownwardAPIVolumeFile{
			Path:     name,
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.annotations['" + annotation + "']"},
		}
	}
	return corev1.Volume{Name: ContainerName, VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{
		DefaultMode: new(int32(0o444)),
		Items:       []corev1.DownwardAPIVolumeFile{file(libraryFile, libraryAnnotation), file(configFile, configAnnotation)},
	}}}
}
