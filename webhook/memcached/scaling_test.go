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

// ago returns the time so many seconds before noon.
func ago(seconds int) *metav1.Time {
	return new(metav1.NewTime(noon.Add(-time.Duration(seconds) * time.Second)))
}

// stepping returns a Memcached that scales by 2 pods every minute.
func stepping(size int32, last *v1alpha1.ScalingStatus) *v1alpha1.Memcached {
	memcached := sample(size)
	memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(int32(2)), StepIntervalSeconds: new(int32(60))}
	memcached.Status.Scaling = last
	return memcached
}

func workloadOf(replicas, available int32) *observed.Workload {
	return &observed.Workload{
		Spec:   observed.WorkloadSpec{Replicas: &replicas},
		Status: observed.WorkloadStatus{Replicas: replicas, AvailableReplicas: available},
	}
}

func stepAt(replicas int32, at *metav1.Time) *v1alpha1.ScalingStatus {
	return &v1alpha1.ScalingStatus{Replicas: replicas, LastStepTime: at}
}

func TestScaleOf(t *testing.T) {
	cases := []struct {
		reason   string
		size     int32
		last     *v1alpha1.ScalingStatus
		workload *observed.Workload
		replicas int32
		status   *v1alpha1.ScalingStatus
		wait     time.Duration
	}{
		{"a new workload has its full size", 7, nil, nil, 7, &v1alpha1.ScalingStatus{Replicas: 7}, 0},
		{"the size is reached", 3, stepAt(3, ago(999)), workloadOf(3, 3), 3, stepAt(3, ago(999)), 0},
		{"the size is reached, and there was no step", 3, stepAt(3, nil), workloadOf(3, 3), 3, stepAt(3, nil), 0},
		{"the first step up", 8, stepAt(3, ago(999)), workloadOf(3, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"the first step up, and there was no step before", 8, stepAt(3, nil), workloadOf(3, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"the first step down", 1, stepAt(6, ago(999)), workloadOf(6, 6), 4, stepAt(4, ago(0)), time.Minute},
		{"the interval has not passed", 8, stepAt(5, ago(20)), workloadOf(5, 5), 5, stepAt(5, ago(20)), 40 * time.Second},
		{"the interval has just passed", 8, stepAt(5, ago(60)), workloadOf(5, 5), 7, stepAt(7, ago(0)), time.Minute},
		{"the last step does not exceed the size", 8, stepAt(7, ago(60)), workloadOf(7, 7), 8, stepAt(8, ago(0)), 0},
		{"a step up waits for the pods of the previous step", 8, stepAt(5, ago(90)), workloadOf(5, 4), 5, stepAt(5, ago(90)), 0},
		{"a step down does not wait for pods", 1, stepAt(5, ago(90)), workloadOf(5, 3), 3, stepAt(3, ago(0)), time.Minute},
		{"the size was changed back between two steps", 3, stepAt(5, ago(20)), workloadOf(5, 5), 5, stepAt(5, ago(20)), 40 * time.Second},
		{"a step from 0 reaches the size", 8, stepAt(0, ago(999)), workloadOf(0, 0), 8, stepAt(8, ago(0)), 0},
		{"the observed workload does not show the last step yet", 8, stepAt(5, ago(1)), workloadOf(3, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"the observed workload does not show the last step yet, and the clock of the hook is behind", 8, stepAt(5, ago(-5)), workloadOf(3, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"the observed workload does not show the last step yet, and the new size is below the step", 4, stepAt(5, ago(1)), workloadOf(3, 3), 3, stepAt(3, ago(0)), time.Minute},
		{"the observed status does not show the last step yet", 8, stepAt(3, ago(60)), workloadOf(5, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"neither status nor workload show the last step yet: the step is repeated", 8, stepAt(3, ago(61)), workloadOf(3, 3), 5, stepAt(5, ago(0)), time.Minute},
		{"the status was lost", 8, nil, workloadOf(5, 5), 5, stepAt(5, ago(0)), time.Minute},
		{"the workload was scaled manually", 3, stepAt(3, ago(999)), workloadOf(9, 9), 9, stepAt(9, ago(0)), time.Minute},
		{"the workload was scaled to 0 manually: there are no keys to keep", 3, stepAt(3, ago(999)), workloadOf(0, 0), 3, stepAt(3, ago(0)), 0},
		{"the size was 0 a moment ago", 3, stepAt(0, ago(1)), workloadOf(0, 0), 3, stepAt(3, ago(0)), 0},
		{"a status of 0 that was edited does not delete pods", 3, stepAt(0, ago(1)), workloadOf(3, 3), 3, stepAt(3, ago(0)), 0},
		{"a status from before the size was changed back does not delete pods", 6, stepAt(4, ago(1)), workloadOf(6, 6), 6, stepAt(6, ago(0)), 0},
		{"the observed workload does not show the last step to 0 yet", 0, stepAt(0, ago(1)), workloadOf(1, 1), 0, stepAt(0, ago(0)), 0},
		{"the observed workload does not show the step from 0 yet, and the size was changed", 8, stepAt(5, ago(1)), workloadOf(0, 0), 5, stepAt(5, ago(0)), time.Minute},
		{"a status from before a step down does not cause a step up", 1, stepAt(10, ago(30)), workloadOf(8, 8), 8, stepAt(8, ago(0)), time.Minute},
		{"a status that is more than one step ahead is ignored", 1, stepAt(3, ago(1)), workloadOf(8, 8), 8, stepAt(8, ago(0)), time.Minute},
		{"a status that is more than maxStep ahead is ignored", 8, stepAt(8, ago(1)), workloadOf(3, 3), 3, stepAt(3, ago(0)), time.Minute},
		{"a status above the size is ignored", 4, stepAt(5, ago(1)), workloadOf(3, 3), 3, stepAt(3, ago(0)), time.Minute},
		{"status has the largest number of replicas", 8, stepAt(math.MaxInt32, ago(1)), workloadOf(5, 5), 5, stepAt(5, ago(0)), time.Minute},
		{"status has the smallest number of replicas", 1, stepAt(math.MinInt32, ago(1)), workloadOf(5, 5), 5, stepAt(5, ago(0)), time.Minute},
		{"a recreated workload has its full size, whatever the status is", 3, stepAt(8, ago(1)), nil, 3, stepAt(3, ago(1)), 0},
		{"a recreated workload keeps its size while the observed status is outdated", 3, stepAt(8, ago(1)), workloadOf(3, 0), 3, stepAt(3, ago(0)), 0},
		{"the workload existed, but was not observed for a moment", 10, stepAt(10, ago(1)), workloadOf(4, 4), 4, stepAt(4, ago(0)), time.Minute},
		{"the workload is recreated after the clock was set back", 3, stepAt(8, ago(-9999)), nil, 3, stepAt(3, ago(0)), 0},
		{"the last step was reverted manually: the next step follows an interval later", 8, stepAt(5, ago(61)), workloadOf(3, 3), 3, stepAt(3, ago(0)), time.Minute},
		{"the workload was scaled manually above the maximum", 3, stepAt(3, ago(999)), workloadOf(math.MaxInt32, 9), 1000, stepAt(1000, ago(0)), time.Minute},
		{"the workload is scaled down from the maximum", 3, stepAt(1000, ago(60)), workloadOf(1000, 9), 998, stepAt(998, ago(0)), time.Minute},
		{"a clock that was set back delays a step by one interval", 8, stepAt(5, ago(-9999)), workloadOf(5, 5), 5, stepAt(5, ago(0)), time.Minute},
		{"a step in the future is not a recent step", 8, stepAt(7, ago(-9999)), workloadOf(5, 5), 5, stepAt(5, ago(0)), time.Minute},
	}
	for _, test := range cases {
		got := scaleOf(stepping(test.size, test.last), test.workload, false, noon)
		if got.replicas != test.replicas || got.wait != test.wait {
			t.Errorf("%s: %d replicas and the next step after %s, want %d and %s", test.reason, got.replicas, got.wait, test.replicas, test.wait)
		}
		if diff := cmp.Diff(test.status, got.status); diff != "" {
			t.Errorf("%s: status (-want +got):\n%s", test.reason, diff)
		}
		// Metacontroller applies the response and syncs again at the same time.
		after := workloadOf(got.replicas, availableAfter(test.workload, got.replicas))
		again := scaleOf(stepping(test.size, got.status), after, false, noon)
		if diff := cmp.Diff(got, again, cmp.AllowUnexported(scale{})); diff != "" {
			t.Errorf("%s: the second sync at the same time differs (-first +second):\n%s", test.reason, diff)
		}
	}
}

// availableAfter returns the available replicas right after a response was applied. New pods are not available yet.
func availableAfter(before *observed.Workload, replicas int32) int32 {
	if before == nil {
		return 0
	}
	return min(before.Status.AvailableReplicas, replicas)
}

func TestScaleWithoutSteps(t *testing.T) {
	memcached := sample(100)
	memcached.Status.Scaling = stepAt(3, ago(1))
	got := scaleOf(memcached, workloadOf(3, 0), false, noon)
	if got.replicas != 100 || got.wait != 0 || got.status != nil || got.pending() {
		t.Errorf("without maxStep a change of size is one step, and status has no step: %+v", got)
	}
}

// TestScaleWithLongInterval checks that a status much older than the delay of observations is ignored, even within an
// interval.
func TestScaleWithLongInterval(t *testing.T) {
	memcached := stepping(1, stepAt(7, ago(45*60)))
	memcached.Spec.Scaling.StepIntervalSeconds = new(int32(86400))
	got := scaleOf(memcached, workloadOf(8, 8), false, noon)
	if got.replicas != 8 || got.wait != 24*time.Hour {
		t.Errorf("an outdated status causes a step from 8 to %d replicas, with a wait of %s", got.replicas, got.wait)
	}
}

func TestMovedKeysPercent(t *testing.T) {
	cases := []struct {
		reason   string
		from, to int32
		want     int64
	}{
		{"a fourth server gets a quarter of the keys", 3, 4, 25},
		{"the removal of the fourth server moves a quarter of the keys", 4, 3, 25},
		{"a third is rounded", 2, 3, 33},
		{"the first server gets all keys", 0, 1, 100},
		{"the number of servers does not change", 3, 3, 0},
		{"there are no servers", 0, 0, 0},
	}
	for _, test := range cases {
		if got := movedKeysPercent(test.from, test.to); got != test.want {
			t.Errorf("%s: %d%%, want %d%%", test.reason, got, test.want)
		}
	}
}
