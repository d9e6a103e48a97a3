package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue string

// PodOptions say where pods run, as whom, and what they are marked with: fields of a pod's own spec and metadata.
type PodOptions struct {
	// affinity of the pods to nodes and to other pods.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// nodeSelector are the labels that a node must have.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations of the pods for the taints of nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(each, !has(each.operator) || each.operator in ['', 'Exists', 'Equal'])",message="the operator of each toleration must be Exists or Equal"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// topologySpreadConstraints spread the pods. By default over nodes and over zones, as far as possible. A constraint
	// without a labelSelector is about the pods of this cache.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(each, each.maxSkew >= 1 && each.whenUnsatisfiable in ['DoNotSchedule', 'ScheduleAnyway'])",message="each constraint must have a maxSkew of at least 1, and DoNotSchedule or ScheduleAnyway for whenUnsatisfiable"
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	// priorityClassName is the pods' PriorityClass.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// serviceAccountName is the pods' ServiceAccount, "default" by default. Its token is not mounted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// podLabels are more labels of the pods. The labels by which pods are found and told apart stay as they are.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key in ['app', 'memcached_cr', 'app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component', 'app.kubernetes.io/managed-by', 'controller-uid', 'pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index'])",message="must not set a label by which the pods are found or told apart: app, memcached_cr, app.kubernetes.io/name, instance, component and managed-by, and those of the workload"
	PodLabels map[string]LabelValue `json:"podLabels,omitempty"`
	// podAnnotations are annotations of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('memcached-operator.example.com/') || key.startsWith('metacontroller.k8s.io/'))",message="must not set annotations of memcached-operator.example.com/ or metacontroller.k8s.io/, which are theirs"
	PodAnnotations map[string]string `json:"podAnnotations,omitempty"`

	// podSecurityContext is laid over the default, field by field: user, group and fsGroup 11211, not root, the seccomp
	// profile of the container runtime.
	// +optional
	PodSecurityContext *corev1.PodSecurityContext `json:"podSecurityContext,omitempty"`
	// securityContext of memcached's container is laid over the default, field by field: no privilege escalation, no
	// capabilities, a read-only file system.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.privileged) || !self.privileged || !has(self.allowPrivilegeEscalation) || self.allowPrivilegeEscalation",message="allowPrivilegeEscalation must not be false where privileged is true"
	SecurityContext *corev1.SecurityContext `json:"securityContext,omitempty"`
}
