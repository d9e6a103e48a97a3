package memcached

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestScaleReachesSize scales from each size to each other, with syncs at irregular times. Each change is at most one step,
// each step follows at least an interval after the previous one, and the size is reached.
func TestScaleReachesSize(t *testing.T) {
	for from := range int32(8) {
		for to := range int32(8) {
			last, replicas, now := &v1alpha1.ScalingStatus{Replicas: from}, from, noon
			changed := metav1.NewTime(noon.Add(-time.Hour))
			for range 100 {
				got := scaleOf(stepping(to, last), workloadOf(replicas, replicas), false, now)
				if difference := got.replicas - replicas; difference != 0 {
					if replicas != 0 && max(difference, -difference) > 2 || now.Sub(changed.Time) < time.Minute {
						t.Fatalf("from %d to %d: a step from %d to %d after %s", from, to, replicas, got.replicas, now.Sub(changed.Time))
					}
					changed = now
				}
				last, replicas = got.status, got.replicas
				now = metav1.NewTime(now.Add(17 * time.Second))
			}
			if replicas != to {
				t.Errorf("from %d to %d: scaling stops at %d", from, to, replicas)
			}
		}
	}
}

// TestScaleFromAnything checks that the response is within one step for any workload and status, and that later syncs reach
// the size.
func TestScaleFromAnything(t *testing.T) {
	extremes := []int32{math.MinInt32, -1, 0, 1, 999, 1000, 1001, math.MaxInt32}
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		memcached := stepping(random.Int32N(12), nil)
		memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(1 + random.Int32N(4)), StepIntervalSeconds: new(1 + random.Int32N(600))}
		if random.IntN(4) > 0 {
			memcached.Status.Scaling = stepAt(random.Int32N(12), ago(random.IntN(1200)-600))
		}
		if random.IntN(8) == 0 {
			memcached.Status.Scaling = stepAt(extremes[random.IntN(len(extremes))], nil)
		}
		workload, now := workloadOf(random.Int32N(12), 12), noon
		for call := range 50 {
			got := scaleOf(memcached, workload, false, now)
			checkStep(t, seed, memcached, workload, got, now)
			workload, memcached.Status.Scaling = workloadOf(got.replicas, got.replicas), got.status
			now = metav1.NewTime(now.Add(time.Duration(random.IntN(700)) * time.Second))
			if call < 5 && random.IntN(4) == 0 { // a manual change of the workload
				workload = workloadOf(random.Int32N(12), 12)
			}
		}
		if *workload.Spec.Replicas != *memcached.Spec.Size {
			t.Errorf("seed %d: scaling stops at %d of %d", seed, *workload.Spec.Replicas, *memcached.Spec.Size)
		}
	}
}

func checkStep(t *testing.T, seed uint64, memcached *v1alpha1.Memcached, workload *observed.Workload, got scale, now metav1.Time) {
	t.Helper()
	current, size := *workload.Spec.Replicas, *memcached.Spec.Size
	if got.replicas < min(current, size) || got.replicas > max(current, size) {
		t.Errorf("seed %d: %d is not between the observed %d and the size %d", seed, got.replicas, current, size)
	}
	change := max(got.replicas-current, current-got.replicas)
	if current != 0 && change > *memcached.Spec.Scaling.MaxStep {
		t.Errorf("seed %d: from %d to %d is more than maxStep %d", seed, current, got.replicas, *memcached.Spec.Scaling.MaxStep)
	}
	if change != 0 && !got.status.LastStepTime.Equal(&now) {
		t.Errorf("seed %d: the step from %d to %d does not have the time of now: %v", seed, current, got.replicas, got.status)
	}
	if got.status.Replicas != got.replicas || isFuture(got.status, now) || got.wait > got.interval {
		t.Errorf("seed %d: %d replicas are recorded as %v, with a wait of %s in an interval of %s", seed, got.replicas, got.status, got.wait, got.interval)
	}
	last := memcached.Status.Scaling
	if change != 0 && current != 0 && last == nil {
		t.Errorf("seed %d: after a lost status, the step from %d to %d does not wait", seed, current, got.replicas)
	}
}
