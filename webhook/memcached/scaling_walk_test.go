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

// TestScaleArrives: from any size to any other, with calls at odd moments, each change is at most a step, each comes an
// interval after the last, and the size is reached.
func TestScaleArrives(t *testing.T) {
	for from := range int32(8) {
		for to := range int32(8) {
			last, replicas, now := &v1alpha1.ScalingStatus{Replicas: from}, from, noon
			changed := metav1.NewTime(noon.Add(-time.Hour))
			for range 100 {
				got := scaleOf(stepping(to, last), running(replicas, replicas), now)
				if difference := got.replicas - replicas; difference != 0 {
					if replicas != 0 && max(difference, -difference) > 2 || now.Sub(changed.Time) < time.Minute {
						t.Fatalf("from %d to %d: %d became %d after %s", from, to, replicas, got.replicas, now.Sub(changed.Time))
					}
					changed = now
				}
				last, replicas = got.status, got.replicas
				now = metav1.NewTime(now.Add(17 * time.Second))
			}
			if replicas != to {
				t.Errorf("from %d to %d: stands still at %d", from, to, replicas)
			}
		}
	}
}

// TestScaleFromAnything: whatever the workload and status are, the response is within the limits of one step, and later
// calls reach the size.
func TestScaleFromAnything(t *testing.T) {
	extremes := []int32{math.MinInt32, -1, 0, 1, 999, 1000, 1001, math.MaxInt32}
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		memcached := stepping(random.Int32N(12), nil)
		memcached.Spec.Scaling = v1alpha1.Scaling{MaxStep: new(1 + random.Int32N(4)), StepIntervalSeconds: new(1 + random.Int32N(600))}
		if random.IntN(4) > 0 {
			memcached.Status.Scaling = step(random.Int32N(12), ago(random.IntN(1200)-600))
		}
		if random.IntN(8) == 0 {
			memcached.Status.Scaling = step(extremes[random.IntN(len(extremes))], nil)
		}
		workload, now := running(random.Int32N(12), 12), noon
		for call := range 50 {
			got := scaleOf(memcached, workload, now)
			checkStep(t, seed, memcached, workload, got, now)
			workload, memcached.Status.Scaling = running(got.replicas, got.replicas), got.status
			now = metav1.NewTime(now.Add(time.Duration(random.IntN(700)) * time.Second))
			if call < 5 && random.IntN(4) == 0 { // somebody edits the workload
				workload = running(random.Int32N(12), 12)
			}
		}
		if *workload.Spec.Replicas != *memcached.Spec.Size {
			t.Errorf("seed %d: stands still at %d of %d", seed, *workload.Spec.Replicas, *memcached.Spec.Size)
		}
	}
}

func checkStep(t *testing.T, seed uint64, memcached *v1alpha1.Memcached, workload *observed.Workload, got scale, now metav1.Time) {
	t.Helper()
	request, size := *workload.Spec.Replicas, *memcached.Spec.Size
	if got.replicas < min(request, size) || got.replicas > max(request, size) {
		t.Errorf("seed %d: %d is not between the observed %d and the size %d", seed, got.replicas, request, size)
	}
	change := max(got.replicas-request, request-got.replicas)
	if request != 0 && change > *memcached.Spec.Scaling.MaxStep {
		t.Errorf("seed %d: from %d to %d is more than maxStep %d", seed, request, got.replicas, *memcached.Spec.Scaling.MaxStep)
	}
	if change != 0 && !got.status.LastStepTime.Equal(&now) {
		t.Errorf("seed %d: the step from %d to %d is not dated now: %v", seed, request, got.replicas, got.status)
	}
	if got.status.Replicas != got.replicas || inFuture(got.status, now) || got.wait > got.interval {
		t.Errorf("seed %d: %d replicas are recorded as %v, with a wait of %s of %s", seed, got.replicas, got.status, got.wait, got.interval)
	}
	last := memcached.Status.Scaling
	if change != 0 && request != 0 && last == nil {
		t.Errorf("seed %d: a lost status steps from %d to %d without a wait", seed, request, got.replicas)
	}
}
