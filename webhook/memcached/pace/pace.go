// Package pace limits how often progress is written to the status.
package pace

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// During a rollout, the status reports progress only in the first second of every 30 seconds. Metacontroller observes pods
// that start together one after the other, and their Deployment counts them a moment later. Without a pause, three pods
// cause six writes of the status. With a report every 5 seconds, 200 rollouts at the same time cause 2.7 writes each, and with
// every 30 seconds 2.0. The status has no time of its last write, so the time of the sync decides.
const (
	progressInterval = 30 * time.Second
	progressWindow   = time.Second
	// maxAvailableDelay is how long into a rollout Available may stay False after the first pod serves. A busy Metacontroller
	// may miss every window, and alerts use Available.
	maxAvailableDelay = time.Minute
)

// Status returns the status to report, and the time until the next report. Outside the windows of a rollout it returns
// the earlier status if only progress has changed. All other changes are reported immediately: all pods serve, Ready
// changes, a problem exists, or a server is removed.
func Status(before, after v1alpha1.MemcachedStatus, now metav1.Time) (v1alpha1.MemcachedStatus, time.Duration) {
	progressing := meta.FindStatusCondition(before.Conditions, api.Progressing)
	if progressing == nil || progressing.Status != metav1.ConditionTrue || equality.Semantic.DeepEqual(before, after) {
		return after, 0
	}
	elapsed := now.Sub(progressing.LastTransitionTime.Time)
	if elapsed < 0 || !isProgress(before, after) || elapsed >= maxAvailableDelay && becomesAvailable(before, after) {
		return after, 0
	}
	if elapsed >= progressInterval && elapsed%progressInterval < progressWindow {
		return after, 0
	}
	return before, progressInterval - elapsed%progressInterval
}

// isProgress reports whether nothing has changed except that there are more pods, or more of them are ready.
func isProgress(before, after v1alpha1.MemcachedStatus) bool {
	return before.ObservedGeneration == after.ObservedGeneration &&
		before.Selector == after.Selector &&
		equality.Semantic.DeepEqual(before.Memory, after.Memory) &&
		equality.Semantic.DeepEqual(before.Scaling, after.Scaling) &&
		sameProxies(before.Proxy, after.Proxy) &&
		keepsAll(before.Nodes, after.Nodes) &&
		keepsAll(before.Servers, after.Servers) &&
		slices.EqualFunc(before.Conditions, after.Conditions, sameCondition)
}

// sameProxies reports whether nothing has changed except the number of ready proxies.
func sameProxies(before, after *v1alpha1.ProxyStatus) bool {
	if before == nil || after == nil {
		return before == after
	}
	compared := *after
	compared.ReadyReplicas = before.ReadyReplicas
	return equality.Semantic.DeepEqual(*before, compared)
}

// keepsAll reports whether names were reported before and all of them are still there.
func keepsAll(before, after []string) bool {
	return before != nil && sets.New(after...).HasAll(before...)
}

// sameCondition reports whether a condition has the same status and reason, or is Available and True now.
func sameCondition(before, after metav1.Condition) bool {
	if after.Type == api.Available && after.Status == metav1.ConditionTrue {
		return before.Type == after.Type
	}
	return before.Type == after.Type && before.Status == after.Status && before.Reason == after.Reason
}

func becomesAvailable(before, after v1alpha1.MemcachedStatus) bool {
	return !meta.IsStatusConditionTrue(before.Conditions, api.Available) && meta.IsStatusConditionTrue(after.Conditions, api.Available)
}
