package diagnosis

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

var noon = metav1.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// reloading returns a pod whose reloader exited with a code and a message so many seconds before noon, and has run since.
func reloading(name string, code int32, message string, secondsAgo int) *observed.Pod {
	exited := noon.Add(-time.Duration(secondsAgo) * time.Second)
	return &observed.Pod{Meta: observed.Meta{Name: name}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{{
		Name: children.ReloaderName, Ready: true,
		State:     observed.ContainerState{Running: observed.ContainerRunning{StartedAt: exited}},
		LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: code, Message: observed.Message(message), FinishedAt: metav1.NewTime(exited)}},
	}, {
		Name: children.ContainerName, Ready: true, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: exited}},
	}}}}
}

// started returns a pod whose memcached and reloader have run since so many seconds before noon.
func started(secondsAgo int) *observed.Pod {
	pod := reloading("a", 0, "", secondsAgo)
	pod.Status.ContainerStatuses[0].LastState = observed.ContainerState{}
	return pod
}

func TestSecretsCurrent(t *testing.T) {
	secure := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}
	alone := started(10)
	alone.Status.ContainerStatuses = alone.Status.ContainerStatuses[1:]
	updated, rolling := conditions.Rollout{Current: true}, conditions.Rollout{Current: true, Replicas: 2, Updated: 1}
	cases := []struct {
		reason  string
		spec    v1alpha1.MemcachedSpec
		image   string
		rollout conditions.Rollout
		pods    []*observed.Pod
		status  metav1.ConditionStatus
		want    string
	}{
		{"the spec has no Secrets", v1alpha1.MemcachedSpec{}, "i", updated, nil, "", ""},
		{"memcached reads SASL passwords at each login", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users"}}, "i", updated, nil, "", ""},
		{"the hook runs without --operator-image", secure, "", updated, []*observed.Pod{started(10)}, metav1.ConditionUnknown, "ReadAtStart"},
		{"memcached runs, and no reloader reports a failure", secure, "i", updated, []*observed.Pod{started(10)}, metav1.ConditionTrue, "Loaded"},
		{"two pods reloaded at different times", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 60), reloading("b", 0, "c", 3660)}, metav1.ConditionTrue, "Loaded"},
		{"a pending pod has nothing to reload", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 7200), mounting(10)}, metav1.ConditionTrue, "Loaded"},
		{"no pod has started, because the Secret may not exist", secure, "i", updated, []*observed.Pod{mounting(10)}, metav1.ConditionUnknown, "NoPodRunning"},
		{"the pods have no reloader", secure, "i", updated, []*observed.Pod{alone}, metav1.ConditionUnknown, "NoPodRunning"},
		{"there are no pods", secure, "i", updated, nil, metav1.ConditionUnknown, "NoPodRunning"},
		{"one memcached does not accept the Secret", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 60), reloading("b", 1, "broken", 30)}, metav1.ConditionFalse, "SecretNotReloaded"},
		{"pods of an earlier template may use another Secret", secure, "i", rolling, []*observed.Pod{started(60), reloading("b", 1, "broken", 30)}, metav1.ConditionTrue, "Loaded"},
		{"one pod waits for its volumes", secure, "i", updated, []*observed.Pod{started(10), mounting(90)}, metav1.ConditionFalse, "SecretNotMounted"},
		{"a killed reloader reports nothing", secure, "i", updated, []*observed.Pod{reloading("a", 137, "", 60)}, metav1.ConditionTrue, "Loaded"},
	}
	for _, test := range cases {
		var status metav1.ConditionStatus
		got := ""
		if condition := secretsOf(&Input{Memcached: cacheOf(test.spec), Images: children.Images{Reloader: test.image}, Input: &conditions.Input{Rollout: test.rollout, Pods: test.pods, Now: noon}}); condition != nil {
			status, got = condition.Status, condition.Reason
			if condition.Type != SecretsCurrent || condition.Message == "" {
				t.Errorf("%s: the condition is %v", test.reason, condition)
			}
		}
		if status != test.status || got != test.want {
			t.Errorf("%s: the condition is %s for %q, want %s for %q", test.reason, status, got, test.status, test.want)
		}
	}
}

// cacheOf returns a cache with a spec and its defaults.
func cacheOf(spec v1alpha1.MemcachedSpec) *v1alpha1.Memcached {
	return &v1alpha1.Memcached{Spec: *sample.Defaulted(spec)}
}

// secretsOf returns the condition SecretsCurrent of a cache; nil if it has none.
func secretsOf(in *Input) *metav1.Condition {
	in.Memory = memory.Of(&in.Memcached.Spec)
	_, own := Diagnose(in)
	return meta.FindStatusCondition(own, SecretsCurrent)
}

// TestReloaderWasKilled checks that a report is kept while a killed reloader has had no time to repeat it. The kubelet keeps
// only the last termination of a container.
func TestReloaderWasKilled(t *testing.T) {
	reported := []metav1.Condition{{Type: SecretsCurrent, Status: metav1.ConditionFalse, Reason: "SecretNotReloaded", Message: "pod a: bad key"}}
	cases := []struct {
		reason string
		before []metav1.Condition
		pod    *observed.Pod
		want   string
		wait   time.Duration
	}{
		{"the reloader was killed recently", reported, reloading("a", 137, "", 30), "pod a: bad key", 90 * time.Second},
		{"the reloader had time to report again", reported, reloading("a", 255, "", 120), "", 0},
		{"the reloader had reported nothing before", nil, reloading("a", 137, "", 30), "", 0},
		{"memcached has accepted the Secret in the meantime", reported, reloading("a", 0, "", 30), "", 0},
	}
	for _, test := range cases {
		memcached := cacheOf(v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "x"}})
		memcached.Status.Conditions = test.before
		found, got := secretNotReloaded(&Input{Memcached: memcached, Images: children.Images{Reloader: "i"}, Input: &conditions.Input{Rollout: conditions.Rollout{Current: true}, Pods: []*observed.Pod{test.pod}, Now: noon}}), ""
		if found.Problem != nil {
			got = found.Problem.Message
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: the message is %q with a wait of %s, want %q with %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}

// mounting returns a pod that started so many seconds before noon, and whose volumes are not mounted.
func mounting(secondsAgo int) *observed.Pod {
	return &observed.Pod{Meta: observed.Meta{Name: "cache-1"}, Status: observed.PodStatus{
		StartTime:  noon.Add(-time.Duration(secondsAgo) * time.Second),
		Conditions: observed.PodConditions{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}},
	}}
}

func TestNotMounted(t *testing.T) {
	secure := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequire}, Auth: &v1alpha1.Auth{SecretName: "users"}}
	const message = "Pod cache-1 is still waiting for its volumes one minute after it started. Check that Secret cache-tls exists and contains the keys tls.crt, tls.key and ca.crt, and that Secret users exists and contains the key passwords."
	pulling := mounting(90)
	pulling.Status.Conditions = nil
	unscheduled := mounting(0)
	unscheduled.Status.StartTime = time.Time{}
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		pods   []*observed.Pod
		want   string
		wait   time.Duration
	}{
		{"the pod has waited less than a minute", secure, []*observed.Pod{mounting(10)}, "", 50 * time.Second},
		{"the pod has waited for a minute", secure, []*observed.Pod{mounting(60)}, message, 0},
		{"one pod has waited too long, and two for less than a minute", secure, []*observed.Pod{mounting(90), mounting(20), mounting(40)}, message, 20 * time.Second},
		{"the pod pulls an image", secure, []*observed.Pod{pulling}, "", 0},
		{"the pod is not scheduled", secure, []*observed.Pod{unscheduled}, "", 0},
		{"the start is in the future, because a clock is behind", secure, []*observed.Pod{mounting(-3600)}, "", time.Minute},
		{"the spec has no Secrets, so another volume is missing", v1alpha1.MemcachedSpec{}, []*observed.Pod{mounting(90)}, "", 0},
	}
	for _, test := range cases {
		got := ""
		found := secretNotMounted(&Input{Memcached: cacheOf(test.spec), Input: &conditions.Input{Pods: test.pods, Now: noon}})
		if found.Problem != nil {
			got = found.Problem.Message
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: the message is %q with a wait of %s, want %q with %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}
