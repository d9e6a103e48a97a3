package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$')",message="must be the value of a label: letters, digits, dashes, underscores and dots, starting and ending with a letter or digit"
type LabelValue string

// Labels maps the names of labels that a user adds to objects of the cache to their values.
//
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('batch.kubernetes.io/') || key.startsWith('memcached-operator.example.com/') || key in ['app', 'memcached_cr', 'memcached_proxy', 'memcached_move', 'app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component', 'app.kubernetes.io/managed-by', 'controller-uid', 'job-name', 'pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index'])",message="must not set labels that the operator or a workload uses to identify objects, such as app, memcached_cr or app.kubernetes.io/name"
type Labels map[string]LabelValue

// Annotations maps the names of annotations that a user adds to pods to their values.
//
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('memcached-operator.example.com/') || key.startsWith('metacontroller.k8s.io/'))",message="must not set annotations with the reserved prefixes memcached-operator.example.com/ and metacontroller.k8s.io/"
// +kubebuilder:validation:XValidation:rule="!self.exists(key, key.startsWith('container.apparmor.security.beta.kubernetes.io/') || key.startsWith('container.seccomp.security.alpha.kubernetes.io/') || key in ['seccomp.security.alpha.kubernetes.io/pod', 'scheduler.alpha.kubernetes.io/tolerations', 'kubernetes.io/config.mirror'])",message="must not set the annotations for AppArmor, seccomp, tolerations and mirror pods. Set spec.podSecurityContext, spec.securityContext or spec.tolerations instead"
// +kubebuilder:validation:XValidation:rule="!('controller.kubernetes.io/pod-deletion-cost' in self) || self['controller.kubernetes.io/pod-deletion-cost'].matches('^(0|-?[1-9][0-9]{0,9})$') && int(self['controller.kubernetes.io/pod-deletion-cost']) >= -2147483648 && int(self['controller.kubernetes.io/pod-deletion-cost']) <= 2147483647",message="controller.kubernetes.io/pod-deletion-cost must be a 32-bit integer without a plus sign or leading zeros"
type Annotations map[string]string

// UserIDs determines who sets the user and the groups of the pods.
//
// +kubebuilder:validation:Enum=Fixed;Assigned
type UserIDs string

const (
	// UserIDsFixed runs the pods as the user of the official image.
	UserIDsFixed UserIDs = "Fixed"
	// UserIDsAssigned lets the cluster assign the user and the groups.
	UserIDsAssigned UserIDs = "Assigned"
)

// PodOptions configure the scheduling, the identity and the metadata of the pods. The fields are those of a pod.
type PodOptions struct {
	// affinity is the affinity of the servers to nodes and to other pods. Proxies and the Job only use its nodeAffinity.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// nodeSelector lists the labels that a node must have to run the pods of the cache, including proxies and the Job.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations are the tolerations of the pods for the taints of nodes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// unreachableNodeTolerationSeconds is how long pods stay on a node that is not ready or does not respond, before Kubernetes deletes them.
	// Kubernetes takes about 50 seconds to notice such a node. With proxies, the keys of a deleted server then move to a spare. The field
	// sets tolerationSeconds of the tolerations for node.kubernetes.io/not-ready and node.kubernetes.io/unreachable. A toleration for the same
	// taint in tolerations takes precedence. Defaults to 30 with spec.proxy, and 300 otherwise, as in Kubernetes.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnreachableNodeTolerationSeconds *int64 `json:"unreachableNodeTolerationSeconds,omitempty"`
	// topologySpreadConstraints are the rules that spread the servers over the cluster. A constraint without a labelSelector selects the
	// servers of this cache. Proxies do not use them: they always prefer different nodes and zones. Defaults to one constraint for nodes with
	// whenUnsatisfiable ScheduleAnyway. With this default, and without affinity.podAntiAffinity, the servers also prefer nodes and zones
	// without other servers of this cache.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	// priorityClassName is the name of the PriorityClass of the pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, starting and ending with a letter or digit"
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// serviceAccountName is the name of the ServiceAccount of the pods. Its token is not mounted.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, starting and ending with a letter or digit"
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// podLabels are additional labels of the pods. They cannot replace labels that identify the pods.
	// +optional
	PodLabels Labels `json:"podLabels,omitempty"`
	// podAnnotations are additional annotations of the pods.
	// +optional
	PodAnnotations Annotations `json:"podAnnotations,omitempty"`

	// userIDs determines who sets the user and the groups of the pods. Fixed sets runAsUser, runAsGroup and fsGroup to 11211, the user of the
	// official image. Assigned sets none of them. Use Assigned if the cluster assigns user IDs and rejects others, as OpenShift does. In other
	// clusters, the official image does not start with Assigned. podSecurityContext takes precedence. Defaults to Fixed.
	// +optional
	UserIDs UserIDs `json:"userIDs,omitempty"`
	// podSecurityContext is the security context of the pods. Fields that are not set keep their defaults: the user and groups of userIDs,
	// runAsNonRoot true, and the seccomp profile RuntimeDefault. With proxies, the default sysctls of the servers close connections 25 seconds
	// after the peer disappears. An empty list of sysctls removes them.
	// +optional
	PodSecurityContext *corev1.PodSecurityContext `json:"podSecurityContext,omitempty"`
	// securityContext is the security context of the memcached containers. Fields that are not set keep their defaults: no privilege escalation,
	// no capabilities, and a read-only root filesystem.
	// +optional
	SecurityContext *corev1.SecurityContext `json:"securityContext,omitempty"`
}
