package memcached

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

// A rollout tells its progress in the first second of every five. Pods that start together come one by one into the view
// of Metacontroller, and their Deployment counts them a moment later: told as they come, three pods make six writes of the
// status. The status does not say when it was written last, so it is the time of the call that decides.
const (
	progressInterval = 5 * time.Second
	progressWindow   = time.Second
	// serviceHeld is how long into a rollout it may stay untold that the first pod serves. A busy Metacontroller may come
	// late for every window, and alerts count on Available.
	serviceHeld = time.Minute
)

// paced returns the status to answer with, and how long to wait until more is to be told: the one before, outside of the
// windows of a rollout, as long as nothing but progress would be told. That all pods serve, Ready, a problem, and a server
// that is gone are told at once.
func paced(before, after v1alpha1.MemcachedStatus, now metav1.Time) (v1alpha1.MemcachedStatus, time.Duration) {
	start := meta.FindStatusCondition(before.Conditions, api.Progressing)
	if start == nil || start.Status != metav1.ConditionTrue || equality.Semantic.DeepEqual(before, after) {
		return after, 0
	}
	since := now.Sub(start.LastTransitionTime.Time)
	if since < 0 || !onlyProgress(before, after) || since >= serviceHeld && startsToServe(before, after) {
		return after, 0
	}
	if since >= progressInterval && since%progressInterval < progressWindow {
		return after, 0
	}
	return before, progressInterval - since%progressInterval
}

// onlyProgress is true when nothing has changed but that there are more pods, or that more of them are ready.
func onlyProgress(before, after v1alpha1.MemcachedStatus) bool {
	return before.ObservedGeneration == after.ObservedGeneration &&
		before.Selector == after.Selector &&
		before.Memory == after.Memory &&
		equality.Semantic.DeepEqual(before.Scaling, after.Scaling) &&
		adds(before.Nodes, after.Nodes) &&
		adds(before.ServerList, after.ServerList) &&
		slices.EqualFunc(before.Conditions, after.Conditions, sameButAvailable)
}

// adds is true when a list that was reported before has lost nothing.
func adds(before, after []string) bool {
	return before != nil && sets.New(after...).HasAll(before...)
}

func startsToServe(before, after v1alpha1.MemcachedStatus) bool {
	return !meta.IsStatusConditionTrue(before.Conditions, api.Available) && meta.IsStatusConditionTrue(after.Conditions, api.Available)
}

// sameButAvailable is true for a condition that says the same with other numbers, or that a first pod serves.
func sameButAvailable(before, after metav1.Condition) bool {
	if after.Type == api.Available && after.Status == metav1.ConditionTrue {
		return before.Type == after.Type
	}
	return before.Type == after.Type && before.Status == after.Status && before.Reason == after.Reason
}
