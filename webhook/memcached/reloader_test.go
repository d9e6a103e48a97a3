package memcached

import (
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestReloaderImage checks that an upgrade of the operator, which configures another image of the reloader, does not replace
// pods. Pods that are replaced for another reason get the configured image.
func TestReloaderImage(t *testing.T) {
	fails := func(waiting, message string, exitCode int32) func(*syncRequest) {
		return func(o *syncRequest) {
			for pod := range o.Related.Pods.All() {
				container := reloaderExit(exitCode, message)
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
		{"only the configured image changes", "reloader:2", func(*syncRequest) {}, "reloader:1"},
		{"the size changes", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Size = new(int32(5)) }, "reloader:1"},
		{"the image of memcached changes", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, "reloader:2"},
		{"an argument of memcached changes", "reloader:2", func(o *syncRequest) { o.Parent.Spec.Cache.Threads = new(int32(2)) }, "reloader:2"},
		{"a field of the pods is removed", "reloader:2", func(o *syncRequest) {
			*o = settled(o.Parent)
			for workload := range o.Children.Deployments.All() {
				workload.Annotations[observed.LastAppliedAnnotation] = strings.Replace(workload.Annotations[observed.LastAppliedAnnotation], `"containers":`, `"nodeName":"a","containers":`, 1)
				_ = jsonv2.Unmarshal([]byte(strings.Replace(string(workload.SpecJSON()), `"containers":`, `"nodeName":"a","containers":`, 1)), &workload.Spec)
			}
		}, "reloader:2"},
		{"there is no workload", "reloader:2", func(o *syncRequest) { o.Children.Deployments = composite.GroupOf[observed.Workload]() }, "reloader:2"},
		{"the image cannot be pulled, and memcached serves", "reloader:2", fails("ImagePullBackOff", "", 0), "reloader:1"},
		{"the program is not in the image, and memcached serves", "reloader:2", fails("RunContainerError", "", 127), "reloader:1"},
		{"the program is not in the image, and memcached does not run", "reloader:2", func(o *syncRequest) {
			fails("RunContainerError", "", 127)(o)
			for pod := range o.Related.Pods.All() {
				pod.Status.ContainerStatuses = slices.DeleteFunc(pod.Status.ContainerStatuses, func(c observed.ContainerStatus) bool { return c.Name == children.ContainerName })
			}
		}, "reloader:2"},
		{"the program crashes, and memcached may serve", "reloader:2", fails("CrashLoopBackOff", "", 2), "reloader:1"},
		{"the reloader reports a Secret and is in CrashLoopBackOff", "reloader:2", fails("CrashLoopBackOff", "bad key", 1), "reloader:1"},
		{"the operator runs without --operator-image, and nothing else changes", "", func(*syncRequest) {}, "reloader:1"},
		{"the operator runs without --operator-image, and pods are replaced", "", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, ""},
		{"pods run without a reloader, and only the image is configured", "reloader:2", func(o *syncRequest) { *o = settledWith(o.Parent, "") }, ""},
		{"pods run without a reloader, and are replaced", "reloader:2", func(o *syncRequest) {
			*o = settledWith(o.Parent, "")
			o.Parent.Spec.Image = "memcached:1.6.39"
		}, "reloader:2"},
		{"no Secret needs a reloader", "reloader:2", func(o *syncRequest) { o.Parent.Spec.TLS = nil }, ""},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		request := settled(memcached)
		test.edit(&request)
		desired, err := (Config{OperatorImage: test.configured}).sync(request)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		got := ""
		for _, container := range desired.Children[0].(*appsv1.Deployment).Spec.Template.Spec.Containers {
			if container.Name == children.ReloaderName {
				got = container.Image
			}
		}
		if got != test.want {
			t.Errorf("%s: the image is %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestReloaderBackOff checks that CrashLoopBackOff of the reloader is no problem, because the reloader exits to report
// something. A reloader that cannot start is a problem.
func TestReloaderBackOff(t *testing.T) {
	for waiting, want := range map[string]string{"CrashLoopBackOff": "AsExpected", "ImagePullBackOff": "ImagePullBackOff"} {
		memcached := sample.New(2)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		request := settled(memcached)
		for pod := range request.Related.Pods.All() {
			container := reloaderExit(0, "")
			container.State = observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: waiting}}
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, container)
		}
		if got := conditionsOf(t, Config{OperatorImage: "reloader:1"}, request)[api.Degraded].Reason; got != want {
			t.Errorf("%s: Degraded for %s, want %s", waiting, got, want)
		}
	}
}
