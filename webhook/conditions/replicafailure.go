package conditions

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
A Deployment reports that pods cannot be created.

This check looks at the condition ReplicaFailure of the workload. A StatefulSet does not have it: see podsmissing.go.

https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
*/

// ReasonReplicaFailure is for a Deployment whose controller cannot create pods.
var ReasonReplicaFailure = NewReason(SeverityBlocker, Documentation{ID: "ReplicaFailure",
	Meaning: "Pods cannot be created. The message is from the API server.",
	Remedy:  "Check the ResourceQuota, the Pod Security Standard of the namespace, and the service account that the message names."})

func replicaFailure(c checked) Finding {
	failure := workloadCondition(c.Workload, "ReplicaFailure", corev1.ConditionTrue)
	if failure == nil {
		return Finding{}
	}
	return Finding{Problem: ReasonReplicaFailure.Problem("Pods cannot be created: %s", failure.Message)}
}

func workloadCondition(workload *observed.Workload, kind string, status corev1.ConditionStatus) *observed.WorkloadCondition {
	if workload == nil {
		return nil
	}
	for i, condition := range workload.Status.Conditions {
		if condition.Type == kind && condition.Status == status {
			return &workload.Status.Conditions[i]
		}
	}
	return nil
}
