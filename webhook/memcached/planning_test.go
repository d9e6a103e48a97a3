package memcached

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/sample"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestObservedProxies checks what counts as a proxy of this Memcached, and as a rollout that has finished.
func TestObservedProxies(t *testing.T) {
	change := func(edit func(*observed.Workload)) func(*syncRequest) {
		return func(r *syncRequest) {
			for workload := range r.Children.Deployments.All() {
				edit(workload)
			}
		}
	}
	extra := func(edit func(*observed.Pod)) func(*syncRequest) {
		return func(r *syncRequest) {
			pod := readyPod("old", proxy.PodLabels(r.Parent, scaling.ParseRoutes("4")))
			edit(&pod)
			r.Related.Pods = composite.GroupOf(append(all(r.Related.Pods), pod)...)
		}
	}
	old, deleted := scaling.ParseRoutes("4"), noon.Add(20*time.Second)
	cases := []struct {
		reason    string
		change    func(*syncRequest)
		rolledOut bool
		extra     []scaling.Proxy
	}{
		{"all proxies are available", func(*syncRequest) {}, true, nil},
		{"the Deployment controller has not observed the change", change(func(d *observed.Workload) { d.Generation = 9 }), false, nil},
		{"a former proxy is not deleted yet", change(func(d *observed.Workload) { d.Status.Replicas = 3 }), false, nil},
		{"a proxy is not updated", change(func(d *observed.Workload) { d.Status.UpdatedReplicas = 1 }), false, nil},
		{"a proxy is not available", change(func(d *observed.Workload) { d.Status.AvailableReplicas = 1 }), false, nil},
		{"the number of proxies changes", change(func(d *observed.Workload) { *d.Spec.Replicas = 3 }), false, nil},
		{"the Deployment is deleted", change(func(d *observed.Workload) { d.DeletionTimestamp = &noon }), false, nil},
		{"a former proxy runs", extra(func(*observed.Pod) {}), true, []scaling.Proxy{{Routes: old}}},
		{"a former proxy drains", extra(func(p *observed.Pod) { p.DeletionTimestamp = ago(-20) }), true, []scaling.Proxy{{Routes: old, Deleted: &deleted}}},
		{"a former proxy has failed", extra(func(p *observed.Pod) { p.Status.Phase = corev1.PodFailed }), true, nil},
		{"the label of a proxy was edited", extra(func(p *observed.Pod) { p.Labels[proxy.RoutesLabel] = "four" }), true, []scaling.Proxy{{}}},
		{"a proxy of another cache", extra(func(p *observed.Pod) { p.Labels[children.ProxyLabel] = "other" }), true, nil},
		{"a proxy of another namespace", extra(func(p *observed.Pod) { p.Namespace = "other" }), true, nil},
		{"a server", extra(func(p *observed.Pod) { p.Labels["app"] = "memcached" }), true, nil},
	}
	for _, test := range cases {
		c := newProxyCluster(t, sample.Proxied(3))
		c.settle()
		test.change(&c.request)
		got := proxies(&c.request)
		if got.Deployment.RolledOut != test.rolledOut {
			t.Errorf("%s: the rollout has finished: %t", test.reason, got.Deployment.RolledOut)
		}
		want := append([]scaling.Proxy{{Routes: scaling.ParseRoutes("3")}, {Routes: scaling.ParseRoutes("3")}}, test.extra...)
		if diff := cmp.Diff(want, got.Pods); diff != "" {
			t.Errorf("%s: proxies (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestObservedServers(t *testing.T) {
	memcached := sample.Proxied(3)
	ready, starting := readyPod("cache-0", nil), readyPod("cache-1", nil)
	starting.Status.Conditions = nil
	stopping := readyPod("cache-2", nil)
	stopping.DeletionTimestamp = new(metav1.Unix(1795262400, 0))
	foreign := readyPod("cache-x", nil)
	got := servers(memcached, scaling.First, []*observed.Pod{&ready, &starting, &stopping, &foreign})
	if diff := cmp.Diff(map[int32]scaling.Server{0: {Ready: true}, 1: {}, 2: {Deleted: new(time.Unix(1795262400, 0))}}, got); diff != "" {
		t.Errorf("servers by ordinal (-want +got):\n%s", diff)
	}
}
