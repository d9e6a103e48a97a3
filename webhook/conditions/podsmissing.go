package conditions

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
A workload has fewer pods than its spec.replicas, and no pod has been created or changed for a minute.

This check looks at the number of replicas in the status of the workload and at the pods. A StatefulSet does not report in its status
why pods are refused. Both controllers create a missing pod within about a second, and count it before its image is pulled.
*/

// ReasonPodsMissing is for a workload that cannot create all of its pods and does not report why.
var ReasonPodsMissing = NewReason(SeverityBlocker, Documentation{ID: "PodsMissing",
	Meaning: "Some or all pods of the workload were not created within a minute. The message shows the numbers. Only the Events of the workload show the cause.",
	Remedy:  "Run the `kubectl describe` command in the message. Likely causes are a ResourceQuota, a Pod Security Standard, an admission webhook or a missing service account."})

func missingPods(in *Input) *Progress {
	if in.Workload == nil || len(in.Children) == 0 || in.Rollout.Desired == 0 {
		return nil
	}
	kind := in.Children[0].GetObjectKind().GroupVersionKind().Kind
	workload, existing := in.Workload, max(in.Workload.Status.Replicas, int32(len(in.Pods)))
	desired := ptr.Deref(workload.Spec.Replicas, 0)
	if existing >= desired {
		return nil
	}
	if existing > 0 && !workload.CaughtUp() {
		return nil // its controller has not acted on the change
	}
	return ReasonPodsMissing.Progress("%s %s has %d of %d pods, probably because of a ResourceQuota, Pod Security, an admission webhook or a missing service account. Check its Events: kubectl describe %s %s -n %s",
		kind, workload.Name, existing, desired, strings.ToLower(kind), workload.Name, workload.Namespace)
}

// LastPodChange returns the last time at which a pod started, or its condition Ready or a condition that is not True changed.
func LastPodChange(pods []*observed.Pod, now metav1.Time) time.Time {
	var last time.Time
	note := func(change time.Time) {
		if change.Sub(now.Time) <= maxClockSkew {
			last = Later(last, change)
		}
	}
	for _, pod := range pods {
		note(pod.Status.StartTime)
		for _, condition := range pod.Status.Conditions {
			note(condition.LastTransitionTime)
		}
	}
	return last
}
