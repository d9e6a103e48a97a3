package memcached

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

// TestReloaderSecurityContext checks that the reloader runs as the user of memcached, without its other privileges.
func TestReloaderSecurityContext(t *testing.T) {
	user := resources.RestrictedContainer()
	user.RunAsUser, user.RunAsGroup, user.RunAsNonRoot = new(int64(7)), new(int64(8)), new(true)
	cases := []struct {
		reason string
		spec   *corev1.SecurityContext
		want   *corev1.SecurityContext
	}{
		{"the security context is not set", nil, resources.RestrictedContainer()},
		{"the security context is empty", &corev1.SecurityContext{}, resources.RestrictedContainer()},
		{"user and group apply to the reloader", &corev1.SecurityContext{RunAsUser: new(int64(7)), RunAsGroup: new(int64(8)), RunAsNonRoot: new(true)}, user},
		{"the other fields apply to memcached only", &corev1.SecurityContext{
			Privileged:               new(true),
			AllowPrivilegeEscalation: new(true),
			ReadOnlyRootFilesystem:   new(false),
			Capabilities:             &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN", "IPC_LOCK"}, Drop: []corev1.Capability{}},
			SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined},
			AppArmorProfile:          &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined},
			SELinuxOptions:           &corev1.SELinuxOptions{Type: "spc_t"},
			ProcMount:                new(corev1.UnmaskedProcMount),
			WindowsOptions:           &corev1.WindowsSecurityContextOptions{HostProcess: new(true)},
			RunAsUser:                new(int64(7)), RunAsGroup: new(int64(8)), RunAsNonRoot: new(true),
		}, user},
	}
	for _, test := range cases {
		spec := sample.Defaulted(v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}})
		spec.SecurityContext = test.spec
		if diff := cmp.Diff(test.want, children.ReloaderContainer(spec, "hook").SecurityContext); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(children.ContainerSecurityContext(test.spec), children.Container(spec, children.Plan{Memory: memory.Of(spec)}).SecurityContext); diff != "" {
			t.Errorf("%s: the memcached container (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestReloaderImage checks that an upgrade of the operator, which configures another image of the reloader, does not replace
// pods. Pods that are replaced for another reason get the configured image.
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
		{"the image of the reloader was edited manually", "reloader:2", func(o *syncRequest) {
			for workload := range o.Children.Deployments.All() {
				workload.Spec.Template.Spec.Containers[1].Image = "attacker:1"
			}
		}, "reloader:2"},
		{"there is no workload", "reloader:2", func(o *syncRequest) { o.Children.Deployments = composite.GroupOf[observed.Workload]() }, "reloader:2"},
		{"the image cannot be pulled", "reloader:2", fails("ImagePullBackOff", "", 0), "reloader:2"},
		{"the program is not in the image", "reloader:2", fails("RunContainerError", "", 127), "reloader:2"},
		{"the program crashes, and memcached may serve", "reloader:2", fails("CrashLoopBackOff", "", 2), "reloader:1"},
		{"the reloader reports a Secret and is in CrashLoopBackOff", "reloader:2", fails("CrashLoopBackOff", "bad key", 1), "reloader:1"},
		{"the operator runs without --reloader-image, and nothing else changes", "", func(*syncRequest) {}, "reloader:1"},
		{"the operator runs without --reloader-image, and pods are replaced", "", func(o *syncRequest) { o.Parent.Spec.Image = "memcached:1.6.39" }, ""},
		{"no Secret needs a reloader", "reloader:2", func(o *syncRequest) { o.Parent.Spec.TLS = nil }, ""},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		request := settled(memcached)
		test.edit(&request)
		desired, err := (Config{ReloaderImage: test.configured}).sync(request)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		got := ""
		for _, container := range desired.Children[1].(*appsv1.Deployment).Spec.Template.Spec.Containers {
			if container.Name == children.ReloaderName {
				got = container.Image
			}
		}
		if got != test.want {
			t.Errorf("%s: the image is %q, want %q", test.reason, got, test.want)
		}
	}
}
