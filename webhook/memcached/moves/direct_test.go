package moves

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestDirect checks steps of 2 servers every minute, without proxies.
func TestDirect(t *testing.T) {
	const same, other = 5, 4 // the generation of the workload, and an earlier one
	cases := []struct {
		reason                    string
		size, replicas, available int32
		recorded, generation      int64 // the recorded replicas and generation
		age                       int   // seconds since the recorded step

		want, wantNext int32
		wantAge        int
		wantWait       int
	}{
		{"nothing to do", 4, 4, 4, 4, same, 999, 4, 4, 999, 0},
		{"a step up", 8, 3, 3, 3, same, 60, 5, 7, 0, 60},
		{"a step down", 1, 5, 5, 5, same, 60, 3, 1, 0, 60},
		{"the last step", 4, 3, 3, 3, same, 60, 4, 4, 0, 0},
		{"the interval has not ended", 8, 3, 3, 3, same, 59, 3, 5, 59, 1},
		{"a step up waits for the pods of the step before", 8, 5, 4, 5, same, 60, 5, 7, 60, 0},
		{"a step down does not wait for pods", 1, 5, 2, 5, same, 60, 3, 1, 0, 60},
		{"from 0 there are no items to keep", 8, 0, 0, 0, same, 1, 8, 8, 0, 0},
		{"the step is not observed yet", 8, 3, 3, 5, same, 1, 5, 7, 1, 59},
		{"the size was edited back before the step was observed", 3, 3, 3, 5, same, 1, 3, 3, 1, 0},
		{"the status is of an earlier generation", 8, 3, 3, 3, other, 999, 3, 5, 0, 60},
		{"the status of an earlier generation has a step", 8, 3, 3, 5, other, 999, 3, 5, 0, 60},
		{"status was lost", 8, 3, 3, -1, 0, 0, 3, 5, 0, 60},
		{"a clock was set back", 8, 3, 3, 3, same, -9999, 3, 5, 0, 60},
		{"the workload was scaled manually above the maximum", 3, 1 << 30, 9, 3, other, 999, 1000, 998, 0, 60},
		{"the status was edited", 8, 3, 3, 1 << 30, same, 1, 3, 5, 1, 59},
	}
	for _, test := range cases {
		revision := v1alpha1.Revision{Created: rollout.Created, Number: same}
		s := Facts{
			Now: noon, Size: test.size, MaxStep: 2, Interval: time.Minute, Status: &v1alpha1.MemcachedStatus{},
			Workload: &Workload{Revision: revision, Ordinals: Range{7, test.replicas}, Available: test.available},
		}
		before := func(seconds int) *metav1.Time {
			return new(metav1.NewTime(noon.Add(-time.Duration(seconds) * time.Second)))
		}
		if test.recorded >= 0 {
			s.Status.Scaling = &v1alpha1.ScalingStatus{Replicas: int32(test.recorded), LastStepTime: before(test.age),
				Observed: v1alpha1.Revision{Created: rollout.Created, Number: test.generation}}
		}
		got := s.Decide()
		want := Decision{Ordinals: Range{7, test.want}, Wait: time.Duration(test.wantWait) * time.Second,
			Scaling: &v1alpha1.ScalingStatus{Replicas: test.want, LastStepTime: before(test.wantAge), Observed: revision}}
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(Pool{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if next := s.SizeAfterStep(got.Ordinals.Count); next != test.wantNext {
			t.Errorf("%s: the next step is to %d servers, want %d", test.reason, next, test.wantNext)
		}
	}
}

// TestDirectWithoutTheWorkload checks a workload that is new, or is not observed.
func TestDirectWithoutTheWorkload(t *testing.T) {
	s := Facts{Now: noon, Size: 7, MaxStep: 2, Interval: time.Minute, Status: &v1alpha1.MemcachedStatus{}}
	if got := s.Decide(); got.Ordinals.Count != 7 || got.Wait != 0 {
		t.Errorf("a new workload has %d servers, want 7; wait %s", got.Ordinals.Count, got.Wait)
	}
	s.Workload = &Workload{Revision: v1alpha1.Revision{Created: metav1.NewTime(noon.Add(-59 * time.Second)), Number: 1}, Ordinals: Range{0, 3}, Available: 3}
	if got := s.Decide(); got.Ordinals.Count != 3 || got.Wait != time.Second {
		t.Errorf("a workload that is 59 seconds old has %d servers, want 3 for another second; wait %s", got.Ordinals.Count, got.Wait)
	}
	s.MaxStep = 0
	if got := s.Decide(); got.Ordinals.Count != 7 || got.Scaling != nil {
		t.Errorf("without steps the workload has %d servers, want 7; status %+v", got.Ordinals.Count, got.Scaling)
	}
}
