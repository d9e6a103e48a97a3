package children

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
)

// TestHoldGracePeriod checks that the sidecar knows the grace period of its pod.
func TestHoldGracePeriod(t *testing.T) {
	for _, test := range []struct {
		reason string
		grace  *int64
		image  string
		want   int64
		arg    string
	}{
		{"the items of a server need minutes to move", nil, "operator:1", 540, "--grace=540s"},
		{"spec sets it", new(int64(900)), "operator:1", 900, "--grace=900s"},
		{"without the image of the operator, no item moves", nil, "", 30, ""},
		{"spec sets it, without the image", new(int64(60)), "", 60, ""},
	} {
		memcached := sample.Proxied(2)
		memcached.Spec.TerminationGracePeriodSeconds = test.grace
		template := PodTemplate(memcached, Defaults{Images: Images{Hold: test.image}}, memory.Of(&memcached.Spec))
		if got := *template.Spec.TerminationGracePeriodSeconds; got != test.want {
			t.Errorf("%s: the grace period is %d, want %d", test.reason, got, test.want)
		}
		found := slices.ContainsFunc(template.Spec.InitContainers, func(c corev1.Container) bool { return slices.Contains(c.Args, test.arg) })
		if hasSidecar := test.arg != ""; found != hasSidecar {
			t.Errorf("%s: the init containers are %+v, want %q", test.reason, template.Spec.InitContainers, test.arg)
		}
	}
}

// TestHoldProbes checks how long a memcached that hangs runs, and that neither a busy one nor a restart of the sidecar fails the probe.
func TestHoldProbes(t *testing.T) {
	spec := sample.Proxied(1)
	container := container(&spec.Spec, Images{Hold: "operator:1"}, memory.Of(&spec.Spec))
	probe := container.LivenessProbe
	if most := int64(probe.PeriodSeconds*probe.FailureThreshold+probe.TimeoutSeconds) + *probe.TerminationGracePeriodSeconds; most > 20 {
		t.Errorf("a memcached that hangs is restarted after up to %d s, want 20 s", most)
	}
	if least := probe.PeriodSeconds * (probe.FailureThreshold - 1); least < 9 {
		t.Errorf("a memcached is restarted after %d s of silence, want at least 9 s", least)
	}
	if container.StartupProbe == nil || container.StartupProbe.PeriodSeconds*container.StartupProbe.FailureThreshold != 60 {
		t.Errorf("memcached does not have a minute to start: %+v", container.StartupProbe)
	}
}

// TestKeepalive: a proxy can vanish without closing its connections. A server that is told to stop must not wait for it.
func TestKeepalive(t *testing.T) {
	all := keepalive(Images{Hold: "operator:1"})
	own := []corev1.Sysctl{{Name: "net.ipv4.tcp_keepalive_time", Value: "60"}, {Name: "net.ipv4.tcp_syncookies", Value: "1"}}
	for _, test := range []struct {
		reason string
		own    *corev1.PodSecurityContext
		image  string
		want   []corev1.Sysctl
	}{
		{"servers wait for proxies", nil, "operator:1", all},
		{"spec sets one of them, and another one", &corev1.PodSecurityContext{Sysctls: own}, "operator:1", append(slices.Clone(own), all[1:]...)},
		{"without the sidecar, nothing waits", nil, "", nil},
	} {
		memcached := sample.Proxied(2)
		memcached.Spec.PodSecurityContext = test.own
		template := PodTemplate(memcached, Defaults{Images: Images{Hold: test.image}}, memory.Of(&memcached.Spec))
		if diff := cmp.Diff(test.want, template.Spec.SecurityContext.Sysctls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
