package memcached

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// reloading is a pod whose reloader ended with that code and message so many seconds before noon, and has run since.
func reloading(name string, code int32, message string, secondsAgo int) *object.Pod {
	at := noon.Add(-time.Duration(secondsAgo) * time.Second)
	return &object.Pod{Meta: object.Meta{Name: name}, Status: object.PodStatus{ContainerStatuses: []object.ContainerStatus{{
		Name: reloaderName, Ready: true,
		State:     object.ContainerState{Running: object.ContainerRunning{StartedAt: at}},
		LastState: object.ContainerState{Terminated: &object.ContainerTerminated{ExitCode: code, Message: message, FinishedAt: metav1.NewTime(at)}},
	}}}}
}

// started is a pod whose reloader runs since so many seconds before noon.
func started(name string, secondsAgo int) *object.Pod {
	pod := reloading(name, 0, "", secondsAgo)
	pod.Status.ContainerStatuses[0].LastState = object.ContainerState{}
	return pod
}

func TestSecretsCurrent(t *testing.T) {
	secure := Spec{TLS: &TLS{SecretName: "cache-tls"}}
	cases := []struct {
		reason string
		spec   Spec
		image  string
		pods   []*object.Pod
		status metav1.ConditionStatus
		want   string
	}{
		{"there is no Secret", Spec{}, "i", nil, "", ""},
		{"SASL's are read at each login", Spec{Auth: &Auth{SecretName: "users"}}, "i", nil, "", ""},
		{"nobody reloads", secure, "", []*object.Pod{started("a", 10)}, metav1.ConditionUnknown, ReasonReadAtStart},
		{"nothing has changed", secure, "i", []*object.Pod{started("a", 10)}, metav1.ConditionTrue, ReasonUnchanged},
		{"all have taken it", secure, "i", []*object.Pod{reloading("a", 0, "c", 60), reloading("b", 0, "c", 10)}, metav1.ConditionTrue, ReasonReloaded},
		{"one has not, for its kubelet looks later", secure, "i", []*object.Pod{reloading("a", 0, "c", 60), started("b", 3600)}, metav1.ConditionFalse, ReasonReloading},
		{"its last change was another", secure, "i", []*object.Pod{reloading("a", 0, "c", 60), reloading("b", 0, "c", 3600)}, metav1.ConditionFalse, ReasonReloading},
		{"one has started with it", secure, "i", []*object.Pod{reloading("a", 0, "c", 3600), started("b", 60)}, metav1.ConditionTrue, ReasonReloaded},
		{"one has started shortly before, with either", secure, "i", []*object.Pod{reloading("a", 0, "c", 60), started("b", 120)}, metav1.ConditionFalse, ReasonReloading},
		{"by now it would have told", secure, "i", []*object.Pod{reloading("a", 0, "c", 180), started("b", 240)}, metav1.ConditionTrue, ReasonReloaded},
		{"one does not take it", secure, "i", []*object.Pod{reloading("a", 0, "c", 60), reloading("b", 1, "broken", 30)}, metav1.ConditionFalse, ReasonSecretNotReloaded},
		{"one has nothing to start with", secure, "i", []*object.Pod{started("a", 10), mounting(90)}, metav1.ConditionFalse, ReasonSecretNotMounted},
		{"to be told to end is no report", secure, "i", []*object.Pod{reloading("a", 0, "", 60)}, metav1.ConditionTrue, ReasonUnchanged},
		{"nor is to be killed", secure, "i", []*object.Pod{reloading("a", 137, "", 60)}, metav1.ConditionTrue, ReasonUnchanged},
	}
	for _, test := range cases {
		var status metav1.ConditionStatus
		got := ""
		if condition, _ := secretsCurrent(&test.spec, test.image, test.pods, noon); condition != nil {
			status, got = condition.Status, condition.Reason
			if condition.Type != SecretsCurrent || condition.Message == "" {
				t.Errorf("%s: the condition is %v", test.reason, condition)
			}
		}
		if status != test.status || got != test.want {
			t.Errorf("%s: got %s %q, want %s %q", test.reason, status, got, test.status, test.want)
		}
	}
}

func TestDiagnoseNotReloaded(t *testing.T) {
	spec := Spec{TLS: &TLS{SecretName: "cache-tls"}}
	got := diagnose(&spec, []*object.Pod{reloading("a", 1, "tls.crt holds no certificate in PEM", 30)}, object.Rollout{}, noon)
	want := object.Problem{Reason: "SecretNotReloaded", Message: "pod a: memcached does not take what Secret cache-tls holds: tls.crt holds no certificate in PEM"}
	if got == nil || *got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	backingOff := reloading("a", 0, "certificate", 30)
	backingOff.Status.ContainerStatuses[0].State = object.ContainerState{Waiting: &object.ContainerWaiting{Reason: "CrashLoopBackOff"}}
	if got := diagnose(&spec, []*object.Pod{backingOff}, object.Rollout{}, noon); got != nil {
		t.Errorf("a reloader ends when it has something to tell, which is no crash: %v", got)
	}
	backingOff.Status.ContainerStatuses[0].State.Waiting.Reason = "ImagePullBackOff"
	if got := diagnose(&spec, []*object.Pod{backingOff}, object.Rollout{}, noon); got == nil || got.Reason != "ImagePullBackOff" {
		t.Errorf("a reloader that cannot start tells nothing: %v", got)
	}
}

// TestReloaderImageStays: an upgrade of the hook brings another image of the reloader, and must not restart caches.
func TestReloaderImageStays(t *testing.T) {
	runs := func(images ...string) *object.Workload {
		workload := &object.Workload{}
		for i, name := range []string{containerName, reloaderName}[:len(images)] {
			workload.Spec.Template.Spec.Containers = append(workload.Spec.Template.Spec.Containers, object.TemplateContainer{Name: name, Image: images[i]})
		}
		return workload
	}
	secure := Spec{TLS: &TLS{}}
	cases := []struct {
		reason     string
		spec       Spec
		workload   *object.Workload
		configured string
		want       string
	}{
		{"nothing to reload", Spec{}, nil, "new", ""},
		{"a new cache", secure, nil, "new", "new"},
		{"one that runs", secure, runs(DefaultImage, "old"), "new", "old"},
		{"one that is replaced anyway", secure, runs("memcached:1.6.1", "old"), "new", "new"},
		{"one that had none", secure, runs(DefaultImage), "new", "new"},
		{"a hook that was not told of an image", secure, runs(DefaultImage, "old"), "", "old"},
		{"none anywhere", secure, runs(DefaultImage), "", ""},
	}
	for _, test := range cases {
		if got := reloaderImage(test.configured, &test.spec, test.workload); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestSecretsCurrentWaits(t *testing.T) {
	secure := Spec{TLS: &TLS{SecretName: "cache-tls"}}
	cases := []struct {
		reason string
		pods   []*object.Pod
		want   time.Duration
	}{
		{"nothing to wait for", []*object.Pod{reloading("a", 0, "c", 60)}, 0},
		{"silence tells something in the end", []*object.Pod{reloading("a", 0, "c", 60), started("b", 120)}, 2 * time.Minute},
		{"and no more after that", []*object.Pod{reloading("a", 0, "c", 600), started("b", 3600)}, 0},
	}
	for _, test := range cases {
		if _, wait := secretsCurrent(&secure, "i", test.pods, noon); wait != test.want {
			t.Errorf("%s: waits for %s, want %s", test.reason, wait, test.want)
		}
	}
}

// TestAvailableWithoutTheOthers: a reloader that ends, or an exporter that is down, makes a pod not ready, and is no
// reason to say that nothing serves.
func TestAvailableWithoutTheOthers(t *testing.T) {
	pod := func(ready bool) []*object.Pod {
		return []*object.Pod{{Status: object.PodStatus{
			Conditions:        object.PodConditions{{Type: "Ready", Status: "False", Reason: "ContainersNotReady"}},
			ContainerStatuses: []object.ContainerStatus{{Name: containerName, Ready: ready}, {Name: reloaderName}},
		}}}
	}
	cases := []struct {
		reason  string
		desired int32
		pods    []*object.Pod
		want    string
	}{
		{"memcached serves", 1, pod(true), ReasonServing},
		{"it does not", 1, pod(false), object.ReasonNoReplicaReady},
		{"the workload is about to count it", 1, []*object.Pod{{Status: object.PodStatus{Conditions: object.PodConditions{{Type: "Ready", Status: "True"}}}}}, object.ReasonNoReplicaReady},
		{"none is asked for", 0, pod(true), object.ReasonScaledToZero},
	}
	for _, test := range cases {
		conditions := object.Conditions(object.Rollout{Desired: test.desired}, nil)
		tellServing(conditions, test.pods)
		if available := conditions[0]; available.Reason != test.want || (available.Status == metav1.ConditionTrue) != (test.want == ReasonServing) {
			t.Errorf("%s: %v", test.reason, available)
		}
	}
}
