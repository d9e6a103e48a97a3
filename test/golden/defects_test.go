package golden

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestDefects checks the parts of golden responses that were wrong once.
func TestDefects(t *testing.T) {
	t.Parallel()
	reasonPattern := regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	cases := []struct {
		dir, reason string
		holds       func(response) bool
	}{
		{"tls-removed-after-failed-reload", "the reloader of an earlier template reported a Secret that spec no longer names",
			func(r response) bool { return r.condition("Degraded").is("False", "AsExpected") }},
		{"scaling-clock-set-back", "a step in the future must not delay the next step by more than the interval",
			func(r response) bool { return r.resyncAfter() <= 30*time.Second && r.replicas() == 4 }},
		{"scaling-status-of-another-time", "on the way from 8 to 1 replicas, an old status must not scale up to 10",
			func(r response) bool { return r.replicas() <= 8 && r.replicas() >= 6 }},
		{"message-too-long", "the API server refuses a status with a message over 32768 characters; the message starts with the cause",
			func(r response) bool {
				message := r.condition("Degraded").message
				return utf8.RuneCountInString(message) <= 1000 && strings.Contains(message, `image "memcached:no-such-tag" cannot be pulled`)
			}},
		{"reason-with-blanks", "the API server refuses a status with spaces in a reason",
			func(r response) bool { return reasonPattern.MatchString(r.condition("Degraded").reason) }},
		{"oom-killed-in-the-future", "a time in the future is ignored, but the memory limit is too low at any time",
			func(r response) bool {
				return r.condition("AtRisk").is("True", "MemoryLimitTooLow") && r.condition("Ready").status == "True"
			}},
		{"reloader-killed-after-failed-reload", "a reloader that has run for an hour would have reported the failure again",
			func(r response) bool { return r.condition("SecretsCurrent").is("True", "Loaded") }},
		{"crash-that-expires", "only a resync can end Degraded, because no object changes",
			func(r response) bool {
				return r.condition("Degraded").is("True", "CrashLoopBackOff") && r.resyncAfter() > 0 && r.resyncAfter() <= 10*time.Minute
			}},
		{"reloader-image-edited-by-hand", "only the flag --operator-image sets the image of the reloader",
			func(r response) bool {
				return r.image("reloader") == operatorImage && r.condition("Ready").status == "False"
			}},
		{"network-policy-invalid", "the API server would refuse only the NetworkPolicy, and the cache would run without it",
			func(r response) bool { return isInvalid(r.body) && len(r.children()) == 0 }},
		{"network-policy-invalid-while-running", "the children stay as they were applied last",
			func(r response) bool { return isInvalid(r.body) && len(r.children()) == 4 }},
		{"network-policy-not-updated", "the update is refused, and the earlier policy allows more than spec",
			func(r response) bool { return r.condition("Ready").is("False", "NetworkPolicyOutdated") }},
		{"deployment-paused", "the image is not rolled out, and no other condition explains it",
			func(r response) bool {
				return r.condition("Ready").is("False", "Paused") && r.condition("Degraded").is("True", "Paused") && r.image("memcached") == "memcached:1.6.40"
			}},
		{"no-pod-observed", "the status of the workload has two ready pods, but no pod is observed",
			func(r response) bool { return r.condition("Ready").status == "False" }},
		{"secret-reloaded-minutes-apart", "two kubelets can update a Secret volume minutes apart",
			func(r response) bool { return r.condition("SecretsCurrent").is("True", "Loaded") }},
	}
	handler := newHandler()
	for _, test := range cases {
		request, err := readRequest("memcached", "sync", test.dir)
		if err != nil {
			t.Fatal(err)
		}
		r := response{parse(t, mustPost(t, handler, "/memcached/sync", request))}
		if !test.holds(r) {
			t.Errorf("%s: %s; got Ready %v, Degraded %v, SecretsCurrent %v, %d replicas, resync after %s", test.dir, test.reason,
				r.condition("Ready"), r.condition("Degraded"), r.condition("SecretsCurrent"), r.replicas(), r.resyncAfter())
		}
	}
}

// response is the decoded response of a sync hook.
type response struct{ body map[string]any }

type condition struct{ status, reason, message string }

func (c condition) is(status, reason string) bool { return c.status == status && c.reason == reason }

func (r response) condition(kind string) condition {
	conditions, _ := r.body["status"].(map[string]any)["conditions"].([]any)
	for _, each := range conditions {
		if fields := each.(map[string]any); fields["type"] == kind {
			return condition{fields["status"].(string), fields["reason"].(string), fields["message"].(string)}
		}
	}
	return condition{}
}

func (r response) children() []any { return r.body["children"].([]any) }

func (r response) resyncAfter() time.Duration {
	seconds, _ := r.body["resyncAfterSeconds"].(float64)
	return time.Duration(seconds * float64(time.Second))
}

// workload returns the spec of the child that runs the pods.
func (r response) workload() map[string]any {
	for _, child := range r.children() {
		if spec := child.(map[string]any)["spec"].(map[string]any); spec["template"] != nil {
			return spec
		}
	}
	return nil
}

func (r response) replicas() int {
	replicas, _ := r.workload()["replicas"].(float64)
	return int(replicas)
}

// image returns the image of a container in the pod template, or "" without such a container.
func (r response) image(container string) string {
	template, _ := r.workload()["template"].(map[string]any)
	for _, each := range template["spec"].(map[string]any)["containers"].([]any) {
		if fields := each.(map[string]any); fields["name"] == container {
			return fields["image"].(string)
		}
	}
	return ""
}
