package memcached

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// mounting is a pod that a node has taken so many seconds before noon, and whose volumes are not there.
func mounting(secondsAgo int) *observed.Pod {
	return &observed.Pod{Meta: observed.Meta{Name: "cache-1"}, Status: observed.PodStatus{
		StartTime:  noon.Add(-time.Duration(secondsAgo) * time.Second),
		Conditions: observed.PodConditions{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}},
	}}
}

func TestNotMounted(t *testing.T) {
	secure := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequire}, Auth: &v1alpha1.Auth{SecretName: "users"}}
	const told = "pod cache-1 still waits for its volumes a minute after its start. Check that Secret cache-tls exists and has the keys tls.crt, tls.key and ca.crt, and that Secret users exists and has the key passwords."
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
		{"volumes take a moment", secure, []*observed.Pod{mounting(10)}, "", 50 * time.Second},
		{"not a minute", secure, []*observed.Pod{mounting(60)}, told, 0},
		{"one waits for long, and another for a while", secure, []*observed.Pod{mounting(90), mounting(20), mounting(40)}, told, 20 * time.Second},
		{"an image that is pulled takes its time", secure, []*observed.Pod{pulling}, "", 0},
		{"no node has taken the pod", secure, []*observed.Pod{unscheduled}, "", 0},
		{"a clock that runs behind is no reason to wait for long", secure, []*observed.Pod{mounting(-3600)}, "", time.Minute},
		{"without Secrets it is something else", v1alpha1.MemcachedSpec{}, []*observed.Pod{mounting(90)}, "", 0},
	}
	for _, test := range cases {
		got := ""
		found := secretsOf(&test.spec, nil, "reloader:1", &conditions.Observation{Pods: test.pods, Now: noon}).mounted
		if found.Problem != nil {
			got = found.Problem.Message
		}
		if got != test.want || found.Wait != test.wait {
			t.Errorf("%s: got %q and %s, want %q and %s", test.reason, got, found.Wait, test.want, test.wait)
		}
	}
}

func TestSecretExitCodes(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		code   int32
		want   string
	}{
		{"a certificate", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}, 64, "check that Secret cache-tls has a certificate in tls.crt and its key in tls.key, all in PEM; or check spec.cache"},
		{"authorities", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequest}}, 64, "check that Secret cache-tls has a certificate in tls.crt and its key in tls.key, and the CA of the clients in ca.crt, all in PEM; or check spec.cache"},
		{"passwords", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users", Mode: v1alpha1.AuthASCII}}, 1, "check that Secret users has lines of user:password in passwords; or check spec.cache.extraArgs"},
		{"no Secret", v1alpha1.MemcachedSpec{}, 64, exitCodes[64]},
	}
	for _, test := range cases {
		if got := secretExitCodes(&test.spec)[test.code]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
