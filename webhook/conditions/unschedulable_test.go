package conditions

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/observed"
)

func TestUnschedulable(t *testing.T) {
	claim := &Claim{Volume: "flash", Request: `100Gi of the StorageClass "local"`}
	pending := func(message string) string {
		return `claim a-flash for 100Gi of the StorageClass "local" has no volume that a node can use. Check that the StorageClass exists and can provide the volume (kubectl describe pvc a-flash). The scheduler reports: ` + message
	}
	// The messages are those of the scheduler of Kubernetes 1.36.
	const (
		noVolume   = "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
		noClass    = `storageclass.storage.k8s.io "local" not found`
		immediate  = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
		otherPod   = "0/1 nodes are available: PVC web/a-flash was not created for pod web/a (pod is not owner). not found"
		noCapacity = "0/3 nodes are available: 3 node(s) did not have enough free storage."
		noMemory   = "0/3 nodes are available: 3 Insufficient memory."
		noDisk     = "0/3 nodes are available: 3 Insufficient ephemeral-storage."
	)
	cases := []struct {
		reason  string
		claim   *Claim
		message string
		age     time.Duration
		want    *plain
		wait    time.Duration
	}{
		{"no volume is free", claim, noVolume, time.Hour, &plain{Reason: "VolumeClaimPending", Message: pending(noVolume)}, 0},
		{"the StorageClass does not exist", claim, noClass, time.Hour, &plain{Reason: "VolumeClaimPending", Message: pending(noClass)}, 0},
		{"the claim is bound before the pod is scheduled", claim, immediate, time.Hour, &plain{Reason: "VolumeClaimPending", Message: pending(immediate)}, 0},
		{"the storage of the nodes is full", claim, noCapacity, time.Hour, &plain{Reason: "VolumeClaimPending", Message: pending(noCapacity)}, 0},
		{"the claim of the former pod with this name still exists", claim, otherPod, time.Second, nil, 59 * time.Second},
		{"the volume may still be created", claim, immediate, 20 * time.Second, nil, 40 * time.Second},
		{"the clock of the scheduler is ahead", claim, immediate, -time.Hour, nil, time.Minute},
		{"the nodes are full", claim, noMemory, 0, &plain{Reason: "Unschedulable", Message: "the scheduler cannot find a node: " + noMemory}, 0},
		{"the disks of the nodes are not the volumes", claim, noDisk, 0, &plain{Reason: "Unschedulable", Message: "the scheduler cannot find a node: " + noDisk}, 0},
		{"the pods have no claims", nil, noVolume, time.Hour, &plain{Reason: "Unschedulable", Message: "the scheduler cannot find a node: " + noVolume}, 0},
	}
	for _, test := range cases {
		pod := &observed.Pod{Meta: observed.Meta{Name: "a"}, Status: observed.PodStatus{Conditions: []observed.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: observed.Message(test.message), LastTransitionTime: noon.Add(-test.age),
		}}}}
		if test.want != nil {
			test.want.Message = "Pod a: " + test.want.Message
		}
		found := failingPods(checked{Input: &Input{Pods: []*observed.Pod{pod}, Claim: test.claim, Now: noon}})
		if diff := cmp.Diff(test.want, plainOf(found.Problem)); diff != "" || found.Wait != test.wait {
			t.Errorf("%s: the wait is %s, want %s (-want +got):\n%s", test.reason, found.Wait, test.wait, diff)
		}
	}
}
