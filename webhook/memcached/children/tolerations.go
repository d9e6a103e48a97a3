package children

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

const (
	// tolerationAnnotation on a workload of a cache with proxies has the default of spec.unreachableNodeTolerationSeconds in its pod
	// template.
	tolerationAnnotation = "memcached-operator.example.com/unreachable-node-toleration-seconds"

	// proxiedTolerationSeconds is a tenth of the default of Kubernetes: the keys of a lost server can move to another one only once
	// Kubernetes has deleted the pod. A node that restarts its kubelet or loses its network for a minute keeps its pods.
	proxiedTolerationSeconds = 30
)

// TolerationSeconds returns the default of spec.unreachableNodeTolerationSeconds that was applied to a workload, or the one for new pods if
// there is no workload or it has none; 0 for that of Kubernetes.
func TolerationSeconds(spec *v1alpha1.MemcachedSpec, applied *observed.Workload) int64 {
	if spec.Proxy == nil {
		return 0
	}
	if applied != nil {
		if seconds, err := strconv.ParseInt(applied.Annotations[tolerationAnnotation], 10, 64); err == nil {
			return seconds
		}
	}
	return proxiedTolerationSeconds
}

// RecordTolerationSeconds adds the default in a pod template to the annotations of its workload, for [TolerationSeconds].
func RecordTolerationSeconds(annotations map[string]string, spec *v1alpha1.MemcachedSpec, seconds int64) {
	if spec.UnreachableNodeTolerationSeconds == nil && spec.Proxy != nil {
		annotations[tolerationAnnotation] = strconv.FormatInt(seconds, 10)
	}
}

// tolerations returns the tolerations of the spec, and those for the taints of a lost node that spec does not tolerate. A toleration of
// spec counts as it does for the admission plugin of Kubernetes that adds 300 seconds:
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds
func tolerations(spec *v1alpha1.MemcachedSpec, seconds int64) []corev1.Toleration {
	limit := spec.UnreachableNodeTolerationSeconds
	if limit == nil && seconds > 0 {
		limit = &seconds
	}
	all := slices.Clone(spec.Tolerations)
	for _, taint := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerated := slices.ContainsFunc(spec.Tolerations, func(each corev1.Toleration) bool {
			return (each.Key == taint || each.Key == "") && (each.Effect == corev1.TaintEffectNoExecute || each.Effect == "")
		})
		if limit != nil && !tolerated {
			all = append(all, corev1.Toleration{Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: limit})
		}
	}
	return all
}
