package apiserver

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// setDefaults sets the defaults that the API server sets, apart from those that depend on other objects.
func setDefaults(object runtime.Object) {
	switch o := object.(type) {
	case *appsv1.Deployment:
		defaultDeployment(o)
	case *appsv1.StatefulSet:
		defaultStatefulSet(o)
	case *appsv1.DaemonSet:
		defaultTemplate(&o.Spec.Template.Spec)
		setPointer(&o.Spec.RevisionHistoryLimit, 10)
		set(&o.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		setPointer(&o.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	case *batchv1.Job:
		defaultTemplate(&o.Spec.Template.Spec)
		setPointer(&o.Spec.BackoffLimit, 6)
		setPointer(&o.Spec.Completions, 1)
		setPointer(&o.Spec.Parallelism, 1)
	case *batchv1.CronJob:
		defaultTemplate(&o.Spec.JobTemplate.Spec.Template.Spec)
		set(&o.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
		setPointer(&o.Spec.Suspend, false)
		setPointer(&o.Spec.SuccessfulJobsHistoryLimit, 3)
		setPointer(&o.Spec.FailedJobsHistoryLimit, 1)
	case *corev1.Pod:
		defaultTemplate(&o.Spec)
		setPointer(&o.Spec.EnableServiceLinks, true)
		setPointer(&o.Spec.PreemptionPolicy, corev1.PreemptLowerPriority)
	case *corev1.PersistentVolumeClaim:
		setPointer(&o.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	case *corev1.Secret:
		storeSecret(o)
	case *corev1.Service:
		defaultService(o)
	case *networkingv1.NetworkPolicy:
		defaultNetworkPolicy(o)
	}
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func setPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func defaultDeployment(d *appsv1.Deployment) {
	setPointer(&d.Spec.Replicas, 1)
	setPointer(&d.Spec.RevisionHistoryLimit, 10)
	setPointer(&d.Spec.ProgressDeadlineSeconds, 600)
	set(&d.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
	setPointer(&d.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
	setPointer(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	setPointer(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
	defaultTemplate(&d.Spec.Template.Spec)
}

func defaultStatefulSet(s *appsv1.StatefulSet) {
	setPointer(&s.Spec.Replicas, 1)
	setPointer(&s.Spec.RevisionHistoryLimit, 10)
	set(&s.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	set(&s.Spec.UpdateStrategy.Type, appsv1.RollingUpdateStatefulSetStrategyType)
	for i := range s.Spec.VolumeClaimTemplates {
		s.Spec.VolumeClaimTemplates[i].Kind, s.Spec.VolumeClaimTemplates[i].APIVersion = "PersistentVolumeClaim", "v1"
		setPointer(&s.Spec.VolumeClaimTemplates[i].Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		set(&s.Spec.VolumeClaimTemplates[i].Status.Phase, corev1.ClaimPending)
	}
	setPointer(&s.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
	})
	defaultTemplate(&s.Spec.Template.Spec)
}

func defaultTemplate(pod *corev1.PodSpec) {
	set(&pod.RestartPolicy, corev1.RestartPolicyAlways)
	set(&pod.DNSPolicy, corev1.DNSClusterFirst)
	set(&pod.SchedulerName, corev1.DefaultSchedulerName)
	setPointer(&pod.TerminationGracePeriodSeconds, 30)
	setPointer(&pod.SecurityContext, corev1.PodSecurityContext{})
	set(&pod.ServiceAccountName, pod.DeprecatedServiceAccount)
	pod.DeprecatedServiceAccount = pod.ServiceAccountName
	for i := range pod.Volumes {
		defaultVolume(&pod.Volumes[i])
	}
	for i := range pod.InitContainers {
		defaultContainer(&pod.InitContainers[i])
	}
	for i := range pod.Containers {
		defaultContainer(&pod.Containers[i])
	}
}

func defaultVolume(volume *corev1.Volume) {
	if volume.Secret != nil {
		setPointer(&volume.Secret.DefaultMode, 0o644)
	}
	if volume.Ephemeral != nil && volume.Ephemeral.VolumeClaimTemplate != nil {
		setPointer(&volume.Ephemeral.VolumeClaimTemplate.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	}
	if volume.DownwardAPI != nil {
		for i := range volume.DownwardAPI.Items {
			if field := volume.DownwardAPI.Items[i].FieldRef; field != nil { // or a resourceFieldRef
				set(&field.APIVersion, "v1")
			}
		}
	}
}

func defaultContainer(container *corev1.Container) {
	set(&container.TerminationMessagePath, "/dev/termination-log")
	set(&container.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	policy := corev1.PullIfNotPresent
	if !strings.Contains(container.Image, ":") || strings.HasSuffix(container.Image, ":latest") {
		policy = corev1.PullAlways
	}
	set(&container.ImagePullPolicy, policy)
	for i := range container.Ports {
		set(&container.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if probe != nil {
			defaultProbe(probe)
		}
	}
}

func defaultProbe(probe *corev1.Probe) {
	set(&probe.TimeoutSeconds, 1)
	set(&probe.PeriodSeconds, 10)
	set(&probe.SuccessThreshold, 1)
	set(&probe.FailureThreshold, 3)
	if probe.HTTPGet != nil {
		set(&probe.HTTPGet.Path, "/")
		set(&probe.HTTPGet.Scheme, corev1.URISchemeHTTP)
	}
}

// storeSecret stores stringData, which the API server never returns, as data.
func storeSecret(s *corev1.Secret) {
	set(&s.Type, corev1.SecretTypeOpaque)
	for name, value := range s.StringData {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[name] = []byte(value)
	}
	s.StringData = nil
}

func defaultService(s *corev1.Service) {
	set(&s.Spec.Type, corev1.ServiceTypeClusterIP)
	set(&s.Spec.SessionAffinity, corev1.ServiceAffinityNone)
	set(&s.Spec.ClusterIP, "10.96.0.10")
	setPointer(&s.Spec.IPFamilyPolicy, corev1.IPFamilyPolicySingleStack)
	setPointer(&s.Spec.InternalTrafficPolicy, corev1.ServiceInternalTrafficPolicyCluster)
	// The allocator adds and removes the second family when the policy changes.
	s.Spec.ClusterIPs, s.Spec.IPFamilies = []string{s.Spec.ClusterIP}, []corev1.IPFamily{corev1.IPv4Protocol}
	if ptr.Deref(s.Spec.IPFamilyPolicy, "") != corev1.IPFamilyPolicySingleStack {
		s.Spec.IPFamilies = append(s.Spec.IPFamilies, corev1.IPv6Protocol)
		if s.Spec.ClusterIP != corev1.ClusterIPNone {
			s.Spec.ClusterIPs = append(s.Spec.ClusterIPs, "fd00::10")
		}
	}
	for i := range s.Spec.Ports {
		port := &s.Spec.Ports[i]
		set(&port.Protocol, corev1.ProtocolTCP)
		set(&port.TargetPort, intstr.FromInt32(port.Port))
	}
}

func defaultNetworkPolicy(p *networkingv1.NetworkPolicy) {
	if p.Spec.PolicyTypes == nil {
		p.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	}
	for _, rule := range p.Spec.Ingress {
		for i := range rule.Ports {
			setPointer(&rule.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
}
