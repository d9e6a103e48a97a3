package diagnosis

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// lostPod returns a pod as it is when its node does not respond.
func lostPod(name string, terminating bool) *observed.Pod {
	pod := &observed.Pod{Meta: observed.Meta{Name: name}, Spec: observed.PodSpec{NodeName: "node-a"}}
	pod.Status.Conditions = observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	if terminating {
		pod.DeletionTimestamp = new(metav1.NewTime(noon.Add(time.Minute)))
	}
	return pod
}

// TestNodeLost checks what a user reads while nodes do not respond.
func TestNodeLost(t *testing.T) {
	proxied := v1alpha1.MemcachedSpec{Proxy: &v1alpha1.Proxy{}, Size: new(int32(3))}
	deployment, set := v1alpha1.MemcachedSpec{Size: new(int32(3))}, v1alpha1.MemcachedSpec{Size: new(int32(3)), Workload: v1alpha1.StatefulSetWorkload}
	proxyPod, gone := lostPod("cache-proxy-a", false), lostPod("cache-proxy-b", true)
	proxyPod.Labels, gone.Labels = map[string]string{children.ProxyLabel: "cache"}, map[string]string{children.ProxyLabel: "cache"}
	one, deleted, other := lostPod("cache-1", false), lostPod("cache-1", true), lostPod("cache-2", false)
	other.Spec.NodeName = "node-b"
	for _, test := range []struct {
		reason  string
		spec    v1alpha1.MemcachedSpec
		routes  string
		pods    []*observed.Pod
		problem string
		risk    string
	}{
		{"no node is lost", proxied, "0-2", nil, "", ""},
		{"from the moment when the node does not respond", proxied, "0-2", []*observed.Pod{one}, "NodeLost", ""},
		{"until the spare has the slot", proxied, "0-2_0-2.1_preparing", []*observed.Pod{deleted}, "NodeLost", ""},
		{"the lost server decides for each key that moves", proxied, "0-2_0-2.1_warming", []*observed.Pod{deleted}, "NodeLost", "ServerReplaced"},
		{"proxies of the phase before run", proxied, "0-2_0-2.1_closing", []*observed.Pod{deleted}, "NodeLost", "ServerReplaced"},
		{"the spare serves", proxied, "0-2.1", []*observed.Pod{deleted}, "", "ServerReplaced"},
		{"the slot of another one returns", proxied, "0-2.1.2-1_0-2.1_preparing", []*observed.Pod{deleted}, "", "ServerReplaced"},
		{"the spare is lost too", proxied, "0-2.1", []*observed.Pod{deleted, lostPod("cache-3", false)}, "NodeLost", "ServerReplaced"},
		{"most servers", proxied, "0-2", []*observed.Pod{one, other}, "ServersLost", ""},
		{"a third of the servers during a replacement", proxied, "0-2_3-5_warming", []*observed.Pod{one, other}, "NodeLost", ""},
		{"most servers, and one node: spares get their slots", proxied, "0-2", []*observed.Pod{one, lostPod("cache-2", false)}, "NodeLost", ""},
		{"a proxy", proxied, "0-2", []*observed.Pod{proxyPod}, "NodeLost", ""},
		{"another proxy has replaced it", proxied, "0-2", []*observed.Pod{gone}, "", ""},
		{"a pod of a Deployment", deployment, "", []*observed.Pod{one}, "NodeLost", ""},
		{"a Deployment has replaced it", deployment, "", []*observed.Pod{deleted}, "", ""},
		{"a StatefulSet replaces nothing", set, "", []*observed.Pod{deleted}, "NodeLost", ""},
		{"spec does not want it any more", v1alpha1.MemcachedSpec{Size: new(int32(1)), Workload: v1alpha1.StatefulSetWorkload}, "", []*observed.Pod{deleted}, "", ""},
	} {
		facts := moves.Facts{Servers: map[int32]moves.Server{}}
		for _, pod := range test.pods {
			if pod.Terminating() {
				facts.Servers[1] = moves.Server{State: moves.ServerStuck}
			}
		}
		memcached := cacheOf(test.spec)
		memcached.Name = "cache"
		found, problem, risk := nodeLost(&Input{Memcached: memcached, LostPods: test.pods, Facts: facts, Decision: moves.Decision{Ordinals: moves.Range{Count: *test.spec.Size}, Routes: moves.ParseRoutes(test.routes)}}), "", ""
		if found.Problem != nil {
			problem = found.Problem.Reason.String()
		}
		if found.Risk != nil {
			risk = found.Risk.Reason.String()
		}
		if problem != test.problem || risk != test.risk {
			t.Errorf("%s: problem %q and risk %q, want %q and %q", test.reason, problem, risk, test.problem, test.risk)
		}
	}
}

// TestFewProxies checks which proxies stop together.
func TestFewProxies(t *testing.T) {
	on := func(nodes ...string) (pods []*observed.Pod) {
		for _, node := range nodes {
			pods = append(pods, &observed.Pod{Spec: observed.PodSpec{NodeName: node}})
		}
		return pods
	}
	for _, test := range []struct {
		reason   string
		replicas int32
		proxies  []*observed.Pod
		want     conditions.Reason
	}{
		{"on two nodes", 2, on("a", "b"), conditions.Reason{}},
		{"on one node", 2, on("a", "a"), ReasonProxiesOnOneNode},
		{"not scheduled", 2, on("", ""), conditions.Reason{}},
		{"the second one has not been created", 2, on("a"), conditions.Reason{}},
		{"one proxy", 1, on("a"), ReasonOneProxy},
		{"no proxy yet", 2, nil, conditions.Reason{}},
	} {
		memcached := cacheOf(v1alpha1.MemcachedSpec{Proxy: &v1alpha1.Proxy{Replicas: new(test.replicas)}})
		got := conditions.Reason{}
		if risk := fewProxies(&Input{Memcached: memcached, ProxyPods: test.proxies}).Risk; risk != nil {
			got = risk.Reason
		}
		if got != test.want {
			t.Errorf("%s: the risk is %q, want %q", test.reason, got, test.want)
		}
	}
}
