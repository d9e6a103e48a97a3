package memcached

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// ReasonMemoryLimitTooLow is the reason of Degraded where a cache may come to need more memory than its limit.
const ReasonMemoryLimitTooLow = "MemoryLimitTooLow"

// exitCodes explains how memcached ends. It uses the codes of sysexits.h, and 1 for a flag that it cannot read:
// https://github.com/memcached/memcached/blob/master/memcached.c
var exitCodes = map[int32]string{
	1:  "memcached cannot read one of its flags or their values; its log names it, and spec.cache.extraArgs is where to look",
	64: "memcached does not take one of its flags or their values; its log names it, and spec.cache is where to look",
	67: "memcached runs as root and knows no user to change to; look at spec.podSecurityContext and spec.securityContext",
	71: "the system refused memcached something, such as its port or room for spec.cache.maxConnections; its log says what",
}

// remedies tell what to do about pods that do not run.
func remedies(spec *Spec, size sizing) object.Remedies {
	return object.Remedies{
		containerName: {OOMKilled: moreMemory(spec, size), ExitCodes: secretExitCodes(spec)},
		reloaderName:  {Reports: true},
		exporterName:  {OOMKilled: "raise spec.metrics.resources.limits.memory"},
	}
}

// moreMemory says which field to raise when memcached used more memory than it was given.
func moreMemory(spec *Spec, size sizing) string {
	limits := resources(spec.Resources, size).Limits
	had := fmt.Sprintf("it has %s for %d MiB of items", limits.Memory(), size.items)
	_, limited := spec.Resources.Limits[corev1.ResourceMemory]
	switch {
	case size.tight():
		return fmt.Sprintf("%s, which need up to %dMi: raise spec.resources.limits.memory", had, size.needed)
	case limited && spec.Cache.MemoryMB != nil:
		return had + ": raise spec.resources.limits.memory"
	}
	return had + ": raise spec.cache.overheadPercent, for small items need more memory beside them"
}

// diagnose returns what stands in the way: of the pods first, and then what may be in the way of them later.
func diagnose(spec *Spec, pods []*object.Pod, rollout object.Rollout, now metav1.Time) *object.Problem {
	size := sizingOf(spec)
	problem := object.Diagnose(pods, rollout, remedies(spec, size), now)
	if problem == nil {
		killed, _ := killedLately(pods, now)
		problem = object.Diagnose(killed, object.Rollout{}, remedies(spec, size), now)
	}
	if problem == nil {
		problem, _ = notMounted(spec, pods, now)
	}
	if problem == nil {
		problem = notReloaded(spec, pods)
	}
	if problem != nil || !size.tight() {
		return problem
	}
	return &object.Problem{Reason: ReasonMemoryLimitTooLow, Message: fmt.Sprintf(
		"%d MiB of items (spec.cache.memoryMB) need up to %dMi in all, and the kernel ends memcached at %s: raise spec.resources.limits.memory to %dMi, or lower spec.cache.memoryMB",
		size.items, size.needed, spec.Resources.Limits.Memory(), size.needed)}
}

// killedLately returns the pods whose memcached was killed for its memory a short while ago and runs again, as they were
// in between. That is over in a second, and leaves no trace but an empty cache. It also returns how long the first of
// them is still told of: nothing else happens then that would end it.
func killedLately(pods []*object.Pod, now metav1.Time) (killed []*object.Pod, wait time.Duration) {
	for _, pod := range pods {
		for _, container := range pod.Status.ContainerStatuses {
			ended := container.LastState.Terminated
			if ended == nil || ended.Reason != object.ReasonOOMKilled {
				continue
			}
			if left := object.Lately - now.Sub(ended.FinishedAt.Time); left > 0 {
				wait = soonest(wait, left)
				container.Ready = false
				killed = append(killed, &object.Pod{Meta: pod.Meta, Status: object.PodStatus{ContainerStatuses: []object.ContainerStatus{container}}})
			}
		}
	}
	return killed, wait
}
