package conditions

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
A Deployment has not progressed for spec.progressDeadlineSeconds.

This check looks at the condition Progressing of the workload. A StatefulSet does not have it.
*/

// ReasonProgressDeadlineExceeded is for a Deployment that reports that it does not progress.
var ReasonProgressDeadlineExceeded = Declare(Documentation{ID: "ProgressDeadlineExceeded", Uses: UsesOfBlocker,
	Meaning: "A rollout has not progressed for ten minutes, and no check knows the cause.",
	Remedy:  "Check the Events of the pods that are not ready."})

func progressDeadline(workload *observed.Workload) *Problem {
	failure := workloadCondition(workload, "Progressing", corev1.ConditionFalse)
	if failure == nil {
		return nil
	}
	return ReasonProgressDeadlineExceeded.Problem("The rollout does not progress: %s", failure.Message)
}
