package observed

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Job is an observed Job.
type Job struct {
	ChildMeta `json:"metadata"`
	Spec      JobSpec   `json:"spec"`
	Status    JobStatus `json:"status"`
}

// JobSpec is the part of a Job's spec that rules read.
type JobSpec struct {
	Completions int32 `json:"completions"`
	Suspend     bool  `json:"suspend"`
}

// JobStatus is the part of a Job's status that rules read.
type JobStatus struct {
	StartTime time.Time `json:"startTime"`
	// Ready is the number of pods that run: those of the operator's Jobs have no readiness probe.
	Ready      int32                   `json:"ready"`
	Succeeded  int32                   `json:"succeeded"`
	Failed     int32                   `json:"failed"`
	Conditions list[WorkloadCondition] `json:"conditions"`
}

// Complete reports whether all pods of a Job with completions have succeeded. Since Kubernetes 1.31, its condition Complete also waits
// until pods that were replaced have ended, and those of a lost node do not.
func (j *Job) Complete() bool {
	return j.Spec.Completions > 0 && j.Status.Succeeded >= j.Spec.Completions
}

// Failed reports whether the Job has failed. Its condition Failed waits as Complete does; FailureTarget does not.
func (j *Job) Failed() bool {
	return j.has(string(batchv1.JobFailed)) || j.has(string(batchv1.JobFailureTarget))
}

// has reports whether a condition is True.
func (j *Job) has(condition string) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(each WorkloadCondition) bool {
		return each.Type == condition && each.Status == corev1.ConditionTrue
	})
}
