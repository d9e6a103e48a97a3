package memcached

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ago(seconds int) *metav1.Time {
	return new(metav1.NewTime(noon.Add(-time.Duration(seconds) * time.Second)))
}

func stepping(size int32, last *v1alpha1.ScalingStatus) *v1alpha1.Memcached {
	memcached := sample(size)
	memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(int32(2)), StepIntervalSeconds: new(int32(60))}
	memcached.Status.Scaling = last
	return memcached
}

func running(replicas, available int32) *observed.Workload {
	return &observed.Workload{
		Spec:   observed.WorkloadSpec{Replicas: &replicas},
		Status: observed.WorkloadStatus{Replicas: replicas, AvailableReplicas: available},
	}
}

func step(replicas int32, at *metav1.Time) *v1alpha1.ScalingStatus {
	return &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: at}
}

func TestScale(t *testing.T) {
	cases := []struct {
		reason   string
		size     int32
		last     *v1alpha1.ScalingStatus
		workload *observed.Workload
		replicas int32
		status   *v1alpha1.ScalingStatus
		wait     time.Duration
	}{
		{"a new cache has no keys to lose", 7, nil, nil, 7, &v1alpha1.ScalingStatus{Replicas: 7}, 0},
		{"settled", 3, step(3, ago(999)), running(3, 3), 3, step(3, ago(999)), 0},
		{"settled since it was made", 3, step(3, nil), running(3, 3), 3, step(3, nil), 0},
		{"the first step up", 8, step(3, ago(999)), running(3, 3), 5, step(5, ago(0)), time.Minute},
		{"the first step since it was made", 8, step(3, nil), running(3, 3), 5, step(5, ago(0)), time.Minute},
		{"the first step down", 1, step(6, ago(999)), running(6, 6), 4, step(4, ago(0)), time.Minute},
		{"it is not time yet", 8, step(5, ago(20)), running(5, 5), 5, step(5, ago(20)), 40 * time.Second},
		{"it is time, to the second", 8, step(5, ago(60)), running(5, 5), 7, step(7, ago(0)), time.Minute},
		{"the last step is as short as it need be", 8, step(7, ago(60)), running(7, 7), 8, step(8, ago(0)), 0},
		{"a step up waits until the pods of the last one serve", 8, step(5, ago(90)), running(5, 4), 5, step(5, ago(90)), 0},
		{"a step down does not wait for pods that may never serve", 1, step(5, ago(90)), running(5, 3), 3, step(3, ago(0)), time.Minute},
		{"the size was changed back in between", 3, step(5, ago(20)), running(5, 5), 5, step(5, ago(20)), 40 * time.Second},
		{"from none there is nothing to spare", 8, step(0, ago(999)), running(0, 0), 8, step(8, ago(0)), 0},
		{"the workload is seen late, just after a step", 8, step(5, ago(1)), running(3, 3), 5, step(5, ago(0)), time.Minute},
		{"the workload is seen late, by a hook whose clock is a little behind", 8, step(5, ago(-5)), running(3, 3), 5, step(5, ago(0)), time.Minute},
		{"the workload is seen late, and the size was changed to less than the last step", 4, step(5, ago(1)), running(3, 3), 3, step(3, ago(0)), time.Minute},
		{"status is seen late, just after a step", 8, step(3, ago(60)), running(5, 3), 5, step(5, ago(0)), time.Minute},
		{"status and workload are seen late: the same step again", 8, step(3, ago(61)), running(3, 3), 5, step(5, ago(0)), time.Minute},
		{"status was lost", 8, nil, running(5, 5), 5, step(5, ago(0)), time.Minute},
		{"somebody scaled the workload by hand", 3, step(3, ago(999)), running(9, 9), 9, step(9, ago(0)), time.Minute},
		{"somebody scaled the workload to none: there is no key left to spare", 3, step(3, ago(999)), running(0, 0), 3, step(3, ago(0)), 0},
		{"just scaled to none, and asked for again", 3, step(0, ago(1)), running(0, 0), 3, step(3, ago(0)), 0},
		{"a status that somebody else wrote takes no pod", 3, step(0, ago(1)), running(3, 3), 3, step(3, ago(0)), 0},
		{"nor does one from before the size was changed back", 6, step(4, ago(1)), running(6, 6), 6, step(6, ago(0)), 0},
		{"the last step down to none, and the workload is seen late", 0, step(0, ago(1)), running(1, 1), 0, step(0, ago(0)), 0},
		{"just scaled up from none, the workload is seen late, and the size was changed", 8, step(5, ago(1)), running(0, 0), 5, step(5, ago(0)), time.Minute},
		{"a status from before a step down does not lead back up", 1, step(10, ago(30)), running(8, 8), 8, step(8, ago(0)), time.Minute},
		{"a status ahead by more than a step is not of this workload", 1, step(3, ago(1)), running(8, 8), 8, step(8, ago(0)), time.Minute},
		{"a step up of more than maxStep", 8, step(8, ago(1)), running(3, 3), 3, step(3, ago(0)), time.Minute},
		{"a status beyond the size", 4, step(5, ago(1)), running(3, 3), 3, step(3, ago(0)), time.Minute},
		{"the largest number of replicas in status", 8, step(math.MaxInt32, ago(1)), running(5, 5), 5, step(5, ago(0)), time.Minute},
		{"the smallest number of replicas in status", 1, step(math.MinInt32, ago(1)), running(5, 5), 5, step(5, ago(0)), time.Minute},
		{"a recreated workload has its full size, whatever status says", 3, step(8, ago(1)), nil, 3, step(3, ago(1)), 0},
		{"it keeps it when status is seen late", 3, step(8, ago(1)), running(3, 0), 3, step(3, ago(0)), 0},
		{"the workload was not gone, only out of sight", 10, step(10, ago(1)), running(4, 4), 4, step(4, ago(0)), time.Minute},
		{"a recreated workload, and the clock was set back", 3, step(8, ago(-9999)), nil, 3, step(3, ago(0)), 0},
		{"somebody removed the last step by hand: the next one starts from there, an interval later", 8, step(5, ago(61)), running(3, 3), 3, step(3, ago(0)), time.Minute},
		{"somebody scaled the workload to more than there may be", 3, step(3, ago(999)), running(math.MaxInt32, 9), 1000, step(1000, ago(0)), time.Minute},
		{"and steps lead back from there", 3, step(1000, ago(60)), running(1000, 9), 998, step(998, ago(0)), time.Minute},
		{"a clock that was set back delays a step by one interval", 8, step(5, ago(-9999)), running(5, 5), 5, step(5, ago(0)), time.Minute},
		{"a time far ahead proves no recent step", 8, step(7, ago(-9999)), running(5, 5), 5, step(5, ago(0)), time.Minute},
	}
	for _, test := range cases {
		got := scaleOf(stepping(test.size, test.last), test.workload, noon)
		if got.replicas != test.replicas || got.wait != test.wait {
			t.Errorf("%s: %d replicas and the next step in %s, want %d and %s", test.reason, got.replicas, got.wait, test.replicas, test.wait)
		}
		if diff := cmp.Diff(test.status, got.status); diff != "" {
			t.Errorf("%s: status records another step (-want +got):\n%s", test.reason, diff)
		}
		// Metacontroller has applied the answer, and asks again in the same instant.
		after := running(got.replicas, available(test.workload, got.replicas))
		again := scaleOf(stepping(test.size, got.status), after, noon)
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(scale{})); diff != "" {
			t.Errorf("%s: asked again in the same instant, it goes on (-first +second):\n%s", test.reason, diff)
		}
	}
}

// available are the pods that serve right after an answer was applied: no new ones, but fewer if there were too many.
func available(before *observed.Workload, replicas int32) int32 {
	if before == nil {
		return 0
	}
	return min(before.Status.AvailableReplicas, replicas)
}

func TestScaleWithoutSteps(t *testing.T) {
	memcached := sample(100)
	memcached.Status.Scaling = step(3, ago(1))
	got := scaleOf(memcached, running(3, 0), noon)
	if got.replicas != 100 || got.wait != 0 || got.status != nil || got.pending() {
		t.Errorf("without maxStep a change of size is one step, and leaves nothing in status: %+v", got)
	}
}

// TestScaleWithLongInterval: a view is never behind for as long as an interval may be.
func TestScaleWithLongInterval(t *testing.T) {
	memcached := stepping(1, step(7, ago(45*60)))
	memcached.Spec.Scaling.StepIntervalSeconds = new(int32(86400))
	got := scaleOf(memcached, running(8, 8), noon)
	if got.replicas != 8 || got.wait != 24*time.Hour {
		t.Errorf("a restored status led from 8 to %d replicas, with a wait of %s", got.replicas, got.wait)
	}
}

func TestMoved(t *testing.T) {
	cases := []struct {
		reason   string
		from, to int32
		want     int64
	}{
		{"one more than three takes a quarter of the keys", 3, 4, 25},
		{"one fewer than four gives its quarter away", 4, 3, 25},
		{"a third, rounded", 2, 3, 33},
		{"the first server takes all", 0, 1, 100},
		{"none", 3, 3, 0},
		{"nothing of nothing", 0, 0, 0},
	}
	for _, test := range cases {
		if got := moved(test.from, test.to); got != test.want {
			t.Errorf("%s: %d%%, want %d%%", test.reason, got, test.want)
		}
	}
}
