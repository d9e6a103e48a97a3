package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/object"
)

func killed() []*object.Pod {
	return []*object.Pod{{Meta: object.Meta{Name: "cache-0"}, Status: object.PodStatus{ContainerStatuses: []object.ContainerStatus{{
		Name: containerName, LastState: object.ContainerState{Terminated: &object.ContainerTerminated{ExitCode: 137, Reason: object.ReasonOOMKilled}},
	}}}}}
}

func TestDiagnose(t *testing.T) {
	tight := Spec{Resources: limitedTo("100Mi"), Cache: Cache{MemoryMB: new(int64(64))}}
	roomy := Spec{Resources: limitedTo("200Mi"), Cache: Cache{MemoryMB: new(int64(64))}}
	cases := []struct {
		reason string
		spec   Spec
		pods   []*object.Pod
		want   *object.Problem
	}{
		{"nothing", Spec{}, nil, nil},
		{"a limit that will not do", tight, nil, &object.Problem{Reason: "MemoryLimitTooLow",
			Message: "64 MiB of items (spec.cache.memoryMB) need up to 123Mi in all, and the kernel ends memcached at 100Mi: raise spec.resources.limits.memory to 123Mi, or lower spec.cache.memoryMB"}},
		{"a limit that did not do", tight, killed(), &object.Problem{Reason: "OOMKilled",
			Message: "pod cache-0: container memcached was killed for using more memory than its limit: it has 100Mi for 64 MiB of items, which need up to 123Mi: raise spec.resources.limits.memory"}},
		{"both are given, and more is needed", roomy, killed(), &object.Problem{Reason: "OOMKilled",
			Message: "pod cache-0: container memcached was killed for using more memory than its limit: it has 200Mi for 64 MiB of items: raise spec.resources.limits.memory"}},
		{"the limit follows from the items", Spec{}, killed(), &object.Problem{Reason: "OOMKilled",
			Message: "pod cache-0: container memcached was killed for using more memory than its limit: it has 123Mi for 64 MiB of items: raise spec.cache.overheadPercent, for small items need more memory beside them"}},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, diagnose(&test.spec, test.pods, object.Rollout{}, noon)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestDiagnoseKilledLately(t *testing.T) {
	cases := []struct {
		reason string
		pods   []*object.Pod
		told   bool
	}{
		{"it runs again, with an empty cache", runsAgain(30), true},
		{"nearly ten minutes later", runsAgain(599), true},
		{"it has done well since", runsAgain(600), false},
	}
	for _, test := range cases {
		got := diagnose(&Spec{}, test.pods, object.Rollout{}, noon)
		if told := got != nil; told != test.told {
			t.Errorf("%s: diagnosed %v", test.reason, got)
		}
		if _, wait := killedLately(test.pods, noon); (wait > 0) != test.told {
			t.Errorf("%s: looked at again in %s; nothing else would end it", test.reason, wait)
		}
		if want := diagnose(&Spec{}, killed(), object.Rollout{}, noon); got != nil && *got != *want {
			t.Errorf("%s: told in other words than while it was down: %v, %v", test.reason, got, want)
		}
		if !test.pods[0].Status.ContainerStatuses[0].Ready {
			t.Errorf("%s: the pod was changed", test.reason)
		}
	}
}

// runsAgain is a pod whose container was killed so many seconds ago and is ready.
func runsAgain(seconds int) []*object.Pod {
	pods := killed()
	container := &pods[0].Status.ContainerStatuses[0]
	container.Ready, container.LastState.Terminated.FinishedAt = true, *ago(seconds)
	return pods
}
