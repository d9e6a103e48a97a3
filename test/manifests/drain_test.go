package manifests

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestHookDrains checks that a terminating pod has the time to serve the requests that Metacontroller has sent.
func TestHookDrains(t *testing.T) {
	checkDrain(t, hookDeployment(t).Spec.Template.Spec)
}

func checkDrain(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	args := spec.Containers[0].Args
	delay, timeout := duration(t, args, "--shutdown-delay="), duration(t, args, "--shutdown-timeout=")
	if delay <= 0 {
		t.Error("--shutdown-delay is missing, so requests can arrive after the pod has stopped to accept them")
	}
	if longest := longestTimeout(t); timeout < longest {
		t.Errorf("--shutdown-timeout is %s, but Metacontroller waits %s for a response", timeout, longest)
	}
	drain := delay + timeout
	if stop := spec.Containers[0].Lifecycle; stop != nil && stop.PreStop != nil && stop.PreStop.Sleep != nil {
		drain += time.Duration(stop.PreStop.Sleep.Seconds) * time.Second
	}
	if grace := time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second; grace <= drain {
		t.Errorf("terminationGracePeriodSeconds is %s, but the drain can take %s", grace, drain)
	}
}

// duration returns the value of the argument with a prefix. It fails without such an argument.
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

// longestTimeout returns the longest timeout of a hook in Metacontroller.
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
