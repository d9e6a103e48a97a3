package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestTolerations checks which tolerations pods have for the taints of a lost node. Kubernetes deletes a pod when the first of those that tolerate a
// taint ends, so there must be no second one.
func TestTolerations(t *testing.T) {
	lost := func(key string, seconds int64) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
	}
	const notReady, unreachable = corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable
	dedicated := corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "cache", Effect: corev1.TaintEffectNoSchedule}
	all := corev1.Toleration{Operator: corev1.TolerationOpExists}
	noSchedule := corev1.Toleration{Key: unreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
	for _, test := range []struct {
		reason   string
		own      []corev1.Toleration
		set      *int64
		defaults int64
		want     []corev1.Toleration
	}{
		{"without proxies, Kubernetes adds its own", nil, nil, 0, nil},
		{"without proxies, and spec sets the time", nil, new(int64(60)), 0, []corev1.Toleration{lost(notReady, 60), lost(unreachable, 60)}},
		{"the default with proxies", nil, nil, 30, []corev1.Toleration{lost(notReady, 30), lost(unreachable, 30)}},
		{"0 is a time too", nil, new(int64(0)), 30, []corev1.Toleration{lost(notReady, 0), lost(unreachable, 0)}},
		{"for another taint", []corev1.Toleration{dedicated}, nil, 30, []corev1.Toleration{dedicated, lost(notReady, 30), lost(unreachable, 30)}},
		{"for one of the taints", []corev1.Toleration{lost(unreachable, 9)}, new(int64(60)), 30, []corev1.Toleration{lost(unreachable, 9), lost(notReady, 60)}},
		{"for all taints", []corev1.Toleration{all}, new(int64(60)), 30, []corev1.Toleration{all}},
		{"for another effect of the taint", []corev1.Toleration{noSchedule}, nil, 30, []corev1.Toleration{noSchedule, lost(notReady, 30), lost(unreachable, 30)}},
	} {
		spec := &v1alpha1.MemcachedSpec{PodOptions: v1alpha1.PodOptions{Tolerations: test.own, UnreachableNodeTolerationSeconds: test.set}}
		if diff := cmp.Diff(test.want, tolerations(spec, test.defaults)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
