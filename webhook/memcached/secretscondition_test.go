package memcached

import (
	"slices"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// reloading is a pod whose reloader exited with that code and message so many seconds before noon, and has run since.
func reloading(name string, code int32, message string, secondsAgo int) *observed.Pod {
	at := noon.Add(-time.Duration(secondsAgo) * time.Second)
	return &observed.Pod{Meta: observed.Meta{Name: name}, Status: observed.PodStatus{ContainerStatuses: []observed.ContainerStatus{{
		Name: reloaderName, Ready: true,
		State:     observed.ContainerState{Running: observed.ContainerRunning{StartedAt: at}},
		LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: code, Message: message, FinishedAt: metav1.NewTime(at)}},
	}, {
		Name: containerName, Ready: true, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: at}},
	}}}}
}

// started is a pod whose memcached and reloader have run since so many seconds before noon.
func started(secondsAgo int) *observed.Pod {
	pod := reloading("a", 0, "", secondsAgo)
	pod.Status.ContainerStatuses[0].LastState = observed.ContainerState{}
	return pod
}

func TestSecretsCurrent(t *testing.T) {
	secure := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}
	settledPods := settled(sample(2)).Related.Pods
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
		{"there is no Secret", v1alpha1.MemcachedSpec{}, "i", updated, nil, "", ""},
		{"memcached reads SASL's passwords at each login", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users"}}, "i", updated, nil, "", ""},
		{"no reloader runs", secure, "", updated, []*observed.Pod{started(10)}, metav1.ConditionUnknown, ReasonReadAtStart},
		{"memcached runs, and no reloader reports a failure", secure, "i", updated, []*observed.Pod{started(10)}, metav1.ConditionTrue, ReasonLoaded},
		{"two pods reloaded an hour apart", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 60), reloading("b", 0, "c", 3660)}, metav1.ConditionTrue, ReasonLoaded},
		{"a pod that is pending has nothing to reload", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 7200), mounting(10)}, metav1.ConditionTrue, ReasonLoaded},
		{"the Secret may not exist: no pod has started with it", secure, "i", updated, []*observed.Pod{mounting(10)}, metav1.ConditionUnknown, ReasonNoPodRunning},
		{"no reloader runs that could report a failure", secure, "i", updated, slices.Collect(settledPods.All()), metav1.ConditionUnknown, ReasonNoPodRunning},
		{"there is no pod", secure, "i", updated, nil, metav1.ConditionUnknown, ReasonNoPodRunning},
		{"one does not accept it", secure, "i", updated, []*observed.Pod{reloading("a", 0, "c", 60), reloading("b", 1, "broken", 30)}, metav1.ConditionFalse, ReasonSecretNotReloaded},
		{"pods of an earlier template may have another Secret", secure, "i", rolling, []*observed.Pod{started(60), reloading("b", 1, "broken", 30)}, metav1.ConditionTrue, ReasonLoaded},
		{"one has nothing to start with", secure, "i", updated, []*observed.Pod{started(10), mounting(90)}, metav1.ConditionFalse, ReasonSecretNotMounted},
		{"to be killed is no report", secure, "i", updated, []*observed.Pod{reloading("a", 137, "", 60)}, metav1.ConditionTrue, ReasonLoaded},
	}
	for _, test := range cases {
		var status metav1.ConditionStatus
		got := ""
		if condition := secretsOf(&test.spec, nil, test.image, &conditions.Observation{Rollout: test.rollout, Pods: test.pods, Now: noon}).condition; condition != nil {
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

// TestSecretNotReloaded: the reloader reports a failure by its exit code and message. Another container of its name does not.
func TestSecretNotReloaded(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"memcached does not accept the certificate", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}, ReasonSecretNotReloaded},
		{"TLS was removed from spec, and the pods are not replaced yet", v1alpha1.MemcachedSpec{}, conditions.ReasonAsExpected},
		{"TLS was replaced by SASL, whose Secret is another", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users"}}, conditions.ReasonAsExpected},
	}
	for _, test := range cases {
		memcached := sample(1)
		memcached.Spec = test.spec
		memcached.Spec.Size = new(int32(2))
		request := settled(memcached)
		for pod := range request.Related.Pods.All() {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, reloading("x", 1, "bad key", 30).Status.ContainerStatuses[0])
		}
		got := conditionsOf(t, Config{ReloaderImage: "reloader:1"}, request)[api.Degraded]
		if got.Reason != test.want {
			t.Errorf("%s: Degraded is %s for %s (%s), want %s", test.reason, got.Status, got.Reason, got.Message, test.want)
		}
	}
}

// TestReloaderWasKilled: the kubelet keeps one end of a container, so a kill hides what the reloader reported, until it has
// reported it again.
func TestReloaderWasKilled(t *testing.T) {
	reported := []metav1.Condition{{Type: SecretsCurrent, Status: metav1.ConditionFalse, Reason: ReasonSecretNotReloaded, Message: "pod a: bad key"}}
	cases := []struct {
		reason string
		before []metav1.Condition
		pod    *observed.Pod
		want   string
		wait   time.Duration
	}{
		{"it was killed a moment ago", reported, reloading("a", 137, "", 30), "pod a: bad key", 90 * time.Second},
		{"it has had time to report again", reported, reloading("a", 255, "", 120), "", 0},
		{"it reported nothing before", nil, reloading("a", 137, "", 30), "", 0},
		{"memcached has accepted the Secret since", reported, reloading("a", 0, "", 30), "", 0},
	}
	for _, test := range cases {
		found, got := secretsOf(&v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "x"}}, test.before, "i", &conditions.Observation{Rollout: conditions.Rollout{Current: true}, Pods: []*observed.Pod{test.pod}, Now: noon}).reloaded, ""
		if found.Problem != nil {
			got = found.Problem.Message
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: got %q for %s, want %q for %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}

// TestReloaderIsNoCrash: a reloader exits to report something, so the kubelet backs off. One that cannot start is a problem.
func TestReloaderIsNoCrash(t *testing.T) {
	for waiting, want := range map[string]string{"CrashLoopBackOff": conditions.ReasonAsExpected, "ImagePullBackOff": "ImagePullBackOff"} {
		memcached := sample(2)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		request := settled(memcached)
		for pod := range request.Related.Pods.All() {
			container := reloading("x", 0, "", 30).Status.ContainerStatuses[0]
			container.State = observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: waiting}}
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, container)
		}
		if got := conditionsOf(t, Config{ReloaderImage: "reloader:1"}, request)[api.Degraded].Reason; got != want {
			t.Errorf("%s: Degraded for %s, want %s", waiting, got, want)
		}
	}
}

// TestReloaderImage: an upgrade of the operator brings another image of the reloader, and must not restart caches. Any
// other reason to replace the pods brings the configured image with it.
func TestReloaderImage(t *testing.T) {
	fails := func(waiting, message string, exitCode int32) func(*syncRequest) {
		return func(o *syncRequest) {
			for pod := range o.Related.Pods.All() {
				container := reloading("x", exitCode, message, 30).Status.ContainerStatuses[0]
				container.State = observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: waiting}}
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, container)
			}
		}
	}
	cases := []struct {
		reason     string
		configured string
		edit       func(*syncRequest)
		want       string
	}{
		{"nothing else changes", "reloader:2", func(*syncRequest) {}, "reloader:1"},
		{"more pods are no other pods", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Size = new(int32(5)) }, "reloader:1"},
		{"the image of memcached changes", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, "reloader:2"},
		{"an argument of memcached changes", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Cache.Threads = new(int32(2)) }, "reloader:2"},
		{"a field of the pods is removed", "reloader:2", func(o *syncRequest) {
			*o = settled(o.Parent)
			for workload := range o.Children.Deployments.All() {
				workload.Annotations[observed.LastAppliedAnnotation] = strings.Replace(workload.Annotations[observed.LastAppliedAnnotation], `"containers":`, `"nodeName":"a","containers":`, 1)
				_ = jsonv2.Unmarshal([]byte(strings.Replace(string(workload.SpecJSON()), `"containers":`, `"nodeName":"a","containers":`, 1)), &workload.Spec)
			}
		}, "reloader:2"},
		{"somebody edited the image by hand", "reloader:2", func(o *syncRequest) {
			for workload := range o.Children.Deployments.All() {
				workload.Spec.Template.Spec.Containers[1].Image = "attacker:1"
			}
		}, "reloader:2"},
		{"there is no workload yet", "reloader:2", func(o *syncRequest) { o.Children.Deployments = composite.GroupOf[observed.Workload]() }, "reloader:2"},
		{"the image cannot be pulled", "reloader:2", fails("ImagePullBackOff", "", 0), "reloader:2"},
		{"the image has no such program", "reloader:2", fails("RunContainerError", "", 127), "reloader:2"},
		{"the program is another one and crashes", "reloader:2", fails("CrashLoopBackOff", "", 2), "reloader:2"},
		{"it reports a Secret, and the kubelet backs off", "reloader:2", fails("CrashLoopBackOff", "bad key", 1), "reloader:1"},
		{"the operator runs without the flag, and nothing else changes", "", func(*syncRequest) {}, "reloader:1"},
		{"the operator runs without the flag, and pods are replaced", "", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, ""},
		{"nothing needs a reloader any more", "reloader:2", func(o *syncRequest) { o.Parent.Spec.TLS = nil }, ""},
	}
	for _, test := range cases {
		memcached := sample(2)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		request := settled(memcached)
		test.edit(&request)
		desired, err := (Config{ReloaderImage: test.configured}).sync(request)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		got := ""
		for _, container := range desired.Children[0].(*appsv1.Deployment).Spec.Template.Spec.Containers {
			if container.Name == reloaderName {
				got = container.Image
			}
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestAvailableWithoutTheOthers: while the exporter or the reloader is not ready, memcached may serve all the same. A
// workload that does not count a pod yet lags behind.
func TestAvailableWithoutTheOthers(t *testing.T) {
	cases := []struct {
		reason    string
		ready     string // the reason why the pod is not ready, "" when it is
		container bool
		want      string
	}{
		{"memcached serves", "ContainersNotReady", true, conditions.ReasonServing},
		{"it does not", "ContainersNotReady", false, conditions.ReasonNoReplicaReady},
		{"the workload does not count the pod yet", "", true, conditions.ReasonReplicaReady},
		{"the node is lost", "NodeNotReady", true, conditions.ReasonNoReplicaReady},
	}
	for _, test := range cases {
		request := settled(sample(2))
		for workload := range request.Children.Deployments.All() {
			workload.Status.ReadyReplicas = 0
		}
		for pod := range request.Related.Pods.All() {
			pod.Status.ContainerStatuses[0].Ready = test.container
			if test.ready != "" {
				pod.Status.Conditions = observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: test.ready}}
			}
		}
		if got := conditionsOf(t, Config{}, request)[api.Available]; got.Reason != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}
