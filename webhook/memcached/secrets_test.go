package memcached

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/object"
)

// mounting is a pod that a node has taken so many seconds before noon, and whose volumes are not there.
func mounting(secondsAgo int) *object.Pod {
	return &object.Pod{Meta: object.Meta{Name: "cache-1"}, Status: object.PodStatus{
		StartTime:  noon.Add(-time.Duration(secondsAgo) * time.Second),
		Conditions: object.PodConditions{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}},
	}}
}

func TestNotMounted(t *testing.T) {
	secure := Spec{TLS: &TLS{SecretName: "cache-tls", ClientAuth: ClientAuthRequire}, Auth: &Auth{SecretName: "users"}}
	const told = "pod cache-1 still waits for its volumes a minute after its start: check that Secret cache-tls is there and has the keys tls.crt, tls.key and ca.crt, and that Secret users is there and has the key passwords; kubectl describe pod says which is missing"
	pulling := mounting(90)
	pulling.Status.Conditions = nil
	unscheduled := mounting(0)
	unscheduled.Status.StartTime = time.Time{}
	cases := []struct {
		reason string
		spec   Spec
		pods   []*object.Pod
		want   string
		wait   time.Duration
	}{
		{"volumes take a moment", secure, []*object.Pod{mounting(10)}, "", 50 * time.Second},
		{"not a minute", secure, []*object.Pod{mounting(60)}, told, 0},
		{"one waits for long, and another for a while", secure, []*object.Pod{mounting(90), mounting(20), mounting(40)}, told, 20 * time.Second},
		{"an image that is pulled takes its time", secure, []*object.Pod{pulling}, "", 0},
		{"no node has taken the pod", secure, []*object.Pod{unscheduled}, "", 0},
		{"a clock that runs behind is no reason to wait for long", secure, []*object.Pod{mounting(-3600)}, "", time.Minute},
		{"without Secrets it is something else", Spec{}, []*object.Pod{mounting(90)}, "", 0},
	}
	for _, test := range cases {
		got := ""
		problem, wait := notMounted(&test.spec, test.pods, noon)
		if problem != nil {
			got = problem.Message
		}
		if got != test.want || wait != test.wait {
			t.Errorf("%s: got %q and %s, want %q and %s", test.reason, got, wait, test.want, test.wait)
		}
	}
}

func TestSecretExitCodes(t *testing.T) {
	cases := []struct {
		reason string
		spec   Spec
		code   int32
		want   string
	}{
		{"a certificate", Spec{TLS: &TLS{SecretName: "cache-tls"}}, 64, "check that Secret cache-tls holds in tls.crt a certificate, in tls.key its key, in PEM; or look at spec.cache"},
		{"authorities", Spec{TLS: &TLS{SecretName: "cache-tls", ClientAuth: ClientAuthRequest}}, 64, "check that Secret cache-tls holds in tls.crt a certificate, in tls.key its key and in ca.crt the authorities of clients, in PEM; or look at spec.cache"},
		{"passwords", Spec{Auth: &Auth{SecretName: "users", Mode: AuthASCII}}, 1, "check that Secret users holds in passwords lines of user:password; or look at spec.cache.extraArgs"},
		{"no Secret", Spec{}, 64, exitCodes[64]},
	}
	for _, test := range cases {
		if got := secretExitCodes(&test.spec)[test.code]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestSoonest(t *testing.T) {
	cases := []struct{ a, b, want time.Duration }{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {3, 5, 3}, {5, 3, 3}}
	for _, test := range cases {
		if got := soonest(test.a, test.b); got != test.want {
			t.Errorf("of %d and %d it is %d, want %d: 0 is none", test.a, test.b, got, test.want)
		}
	}
}
