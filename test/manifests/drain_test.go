package manifests

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestHookDrains holds that a pod is given the time to serve what Metacontroller has already sent it.
func TestHookDrains(t *testing.T) {
	checkDrain(t, hookDeployment(t).Spec.Template.Spec)
}

func checkDrain(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	args := spec.Containers[0].Args
	delay, timeout := duration(t, args, "-shutdown-delay="), duration(t, args, "-shutdown-timeout=")
	if delay <= 0 {
		t.Error("no -shutdown-delay: requests would still come when the pod no longer takes them")
	}
	if longest := longestTimeout(t); timeout < longest {
		t.Errorf("-shutdown-timeout %s cuts off a request that Metacontroller awaits for %s", timeout, longest)
	}
	drain := delay + timeout
	if stop := spec.Containers[0].Lifecycle; stop != nil && stop.PreStop != nil && stop.PreStop.Sleep != nil {
		drain += time.Duration(stop.PreStop.Sleep.Seconds) * time.Second
	}
	if grace := time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second; grace <= drain {
		t.Errorf("terminationGracePeriodSeconds leaves %s, but the drain may take %s", grace, drain)
	}
}

// duration returns the value of the flag that starts with a prefix, which the arguments must hold.
func duration(t *testing.T, args []string, prefix string) time.Duration {
	t.Helper()
	for _, arg := range args {
		value, ok := strings.CutPrefix(arg, prefix)
		if !ok {
			continue
		}
		parsed, err := time.ParseDuration(value)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	t.Fatalf("no argument %s", prefix)
	return 0
}

// longestTimeout is the longest that Metacontroller waits for an answer of ours.
func longestTimeout(t *testing.T) time.Duration {
	t.Helper()
	var longest time.Duration
	for _, controller := range controllers(t) {
		for _, hook := range controller.hooks() {
			timeout, err := time.ParseDuration(hook.Webhook.Timeout)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, timeout)
		}
	}
	return longest
}
