package conditions

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
The scheduler finds no node for a pod.

This check looks at the condition PodScheduled of the pod. If its message is about volumes, the claim of the pod is the cause.
*/

// The reasons of a pod that no node can run.
var (
	ReasonUnschedulable = NewReason(SeverityProblem, Documentation{ID: "Unschedulable",
		Meaning: "No node accepts a pod. The message is from the scheduler.",
		Remedy:  "Add nodes, free resources on nodes, or change the requirements of the pod: its requests, `nodeSelector`, `affinity` or `tolerations`."})
	ReasonVolumeClaimPending = NewReason(SeverityProblem, Documentation{ID: "VolumeClaimPending",
		Meaning: "For over a minute, the claim in the message has had no volume that a node can use.",
		Remedy:  "Check the StorageClass and its free volumes: [Flash](flash.md#volumes)."})
)

// claimPeriod is how long a claim may take to get its volume. Some storage providers create a volume before a pod is scheduled.
const claimPeriod = time.Minute

// volumeWords are parts of the messages of the scheduler about claims, volumes and storage classes. A node that has too little
// ephemeral-storage for a pod is another problem.
//
// https://github.com/kubernetes/kubernetes/tree/master/pkg/scheduler/framework/plugins, volumebinding and nodevolumelimits
var volumeWords = []string{"volume", "Volume", "pvc", "PVC", "storageclass", "StorageClass", "free storage"}

func isAboutVolumes(message string) bool {
	message = message[:min(len(message), maxMessage)]
	return slices.ContainsFunc(volumeWords, func(word string) bool { return strings.Contains(message, word) })
}

// Claim describes the claim of a generic ephemeral volume. Kubernetes names it after the pod and the volume.
type Claim struct {
	// Volume is the name of the volume in the pod.
	Volume string
	// Request describes the requested storage, such as "100Gi of the default StorageClass".
	Request string
}

// unschedulable returns why the scheduler cannot find a node for a pod.
func unschedulable(pod *observed.Pod, scheduled observed.PodCondition, claim *Claim, now metav1.Time) Finding {
	if claim == nil || !isAboutVolumes(string(scheduled.Message)) {
		return Finding{Problem: ReasonUnschedulable.Problem("the scheduler cannot find a node: %s", scheduled.Message)}
	}
	if left := scheduled.LastTransitionTime.Add(claimPeriod).Sub(now.Time); left > 0 {
		return Finding{Wait: min(left, claimPeriod)} // the clock of the scheduler may be ahead
	}
	name := pod.Name + "-" + claim.Volume
	return Finding{Problem: ReasonVolumeClaimPending.Problem(
		"claim %s for %s has no volume that a node can use. Check that the StorageClass exists and can provide the volume (kubectl describe pvc %s). The scheduler reports: %s",
		name, claim.Request, name, scheduled.Message)}
}
