package conditions

import (
	corev1 "k8s.io/api/core/v1"
)

/*
A Deployment has not progressed for spec.progressDeadlineSeconds.

This check looks at the condition Progressing of the workload. A StatefulSet does not have it.
*/

// ReasonProgressDeadlineExceeded is for a Deployment that reports that it does not progress.
var ReasonProgressDeadlineExceeded = NewReason(SeverityBlocker, Documentation{ID: "ProgressDeadlineExceeded",
	Meaning: "A rollout has not progressed for ten minutes, and the operator does not know the cause.",
	Remedy:  "Check the Events of the pods that are not ready."})

func progressDeadline(c checked) Finding {
	failure := workloadCondition(c.Workload, "Progressing", corev1.ConditionFalse)
	if failure == nil {
		return Finding{}
	}
	return Finding{Problem: ReasonProgressDeadlineExceeded.Problem("The rollout does not progress: %s", failure.Message)}
}
