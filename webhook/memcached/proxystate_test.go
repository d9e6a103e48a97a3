package memcached

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestProxyStateOf checks when a rollout of the proxies has finished: no proxy that may run has other lists than the
// Deployment.
func TestProxyStateOf(t *testing.T) {
	change := func(edit func(*observed.Workload)) func(*syncRequest) {
		return func(r *syncRequest) {
			for workload := range r.Children.Deployments.All() {
				edit(workload)
			}
		}
	}
	extra := func(edit func(*observed.Pod)) func(*syncRequest) {
		return func(r *syncRequest) {
			labels := proxyPodLabels(r.Parent, routes{current: 4})
			pod := readyPod("old", labels)
			edit(&pod)
			r.Related.Pods = composite.GroupOf(append(all(r.Related.Pods), pod)...)
		}
	}
	cases := []struct {
		reason           string
		change           func(*syncRequest)
		settled, stopped bool
		drained          time.Duration
	}{
		{"all proxies are available", func(*syncRequest) {}, true, false, 0},
		{"the Deployment controller has not observed the change", change(func(d *observed.Workload) { d.Generation = 9 }), false, false, 0},
		{"a former proxy is not deleted yet", change(func(d *observed.Workload) { d.Status.Replicas = 3 }), false, false, 0},
		{"a proxy is not updated", change(func(d *observed.Workload) { d.Status.UpdatedReplicas = 1 }), false, false, 0},
		{"a proxy is not available", change(func(d *observed.Workload) { d.Status.AvailableReplicas = 1 }), false, false, 0},
		{"the number of proxies changes", change(func(d *observed.Workload) { *d.Spec.Replicas = 3 }), false, false, 0},
		{"the Deployment is deleted", change(func(d *observed.Workload) { d.DeletionTimestamp = &noon }), false, false, 0},
		{"the Deployment has no proxies, but pods still run", change(func(d *observed.Workload) { *d.Spec.Replicas = 0; d.Status = observed.WorkloadStatus{} }), false, false, 0},
		{"the Deployment is missing, and its pods still run", func(r *syncRequest) { r.Children.Deployments = composite.GroupOf[observed.Workload]() }, false, false, 0},
		{"there are no proxies", func(r *syncRequest) {
			r.Children.Deployments, r.Related.Pods = composite.GroupOf[observed.Workload](), composite.GroupOf[observed.Pod]()
		}, false, true, 0},
		{"a former proxy runs", extra(func(*observed.Pod) {}), false, false, 0},
		{"a former proxy drains", extra(func(p *observed.Pod) { p.DeletionTimestamp = ago(-20) }), false, false, 20 * time.Second},
		{"a former proxy on a lost node was due to be killed", extra(func(p *observed.Pod) { p.DeletionTimestamp = ago(1) }), true, false, 0},
		{"a former proxy has failed", extra(func(p *observed.Pod) { p.Status.Phase = corev1.PodFailed }), true, false, 0},
		{"a proxy of another cache", extra(func(p *observed.Pod) { p.Labels[proxyLabel] = "other" }), true, false, 0},
		{"a proxy of another namespace", extra(func(p *observed.Pod) { p.Namespace = "other" }), true, false, 0},
		{"a server", extra(func(p *observed.Pod) { p.Labels["app"] = "memcached" }), true, false, 0},
	}
	for _, test := range cases {
		c := newProxyCluster(t, proxied(3))
		c.settle()
		test.change(&c.request)
		c.request.Now = noon
		got := proxyStateOf(&c.request)
		if got.settled != test.settled || got.stopped != test.stopped || got.drained != test.drained || got.routes != (routes{current: 3}) {
			t.Errorf("%s: settled %t, stopped %t, drained after %s, lists %s", test.reason, got.settled, got.stopped, got.drained, got.routes)
		}
	}
}

func TestReadyServers(t *testing.T) {
	pod := func(name string, ready corev1.ConditionStatus) *observed.Pod {
		return &observed.Pod{Meta: observed.Meta{Name: name}, Status: observed.PodStatus{Conditions: observed.PodConditions{{Type: corev1.PodReady, Status: ready}}}}
	}
	cases := []struct {
		reason   string
		from, to int32
		pods     []*observed.Pod
		want     int32
	}{
		{"all new servers are ready", 3, 5, []*observed.Pod{pod("cache-3", "True"), pod("cache-4", "True")}, 2},
		{"a former server is not ready, which is no reason to wait", 3, 4, []*observed.Pod{pod("cache-0", "False"), pod("cache-3", "True")}, 1},
		{"the second new server is not ready", 3, 5, []*observed.Pod{pod("cache-3", "True"), pod("cache-4", "False")}, 1},
		{"the first new server does not exist", 3, 5, []*observed.Pod{pod("cache-4", "True")}, 0},
		{"servers are removed", 5, 3, nil, 0},
	}
	for _, test := range cases {
		if got := readyServers(sample(5), test.pods, test.from, test.to); got != test.want {
			t.Errorf("%s: %d, want %d", test.reason, got, test.want)
		}
	}
}

// TestRecordedRoutes checks that an edited status cannot add servers.
func TestRecordedRoutes(t *testing.T) {
	for _, status := range []*v1alpha1.ProxyStatus{nil, {}, {Servers: -1}, {Servers: 4, PreviousServers: -3}, {Servers: 99999}} {
		if got := recordedRoutes(status); got != (routes{}) {
			t.Errorf("status %+v has the lists %s", status, got)
		}
	}
	if got := recordedRoutes(&v1alpha1.ProxyStatus{Servers: 4, PreviousServers: 3}); got != (routes{current: 4, previous: 3}) {
		t.Errorf("the lists in status are %s", got)
	}
}

// TestProxyProgressIsPaced checks that the number of ready proxies alone causes no write of the status, and a phase does.
func TestProxyProgressIsPaced(t *testing.T) {
	before := v1alpha1.ProxyStatus{ReadyReplicas: 1, Servers: 3, LastChangeTime: &noon}
	after := before
	after.ReadyReplicas = 2
	if !sameProxies(&before, &after) || !sameProxies(nil, nil) {
		t.Error("a ready proxy is not progress")
	}
	after.Resize = &v1alpha1.ResizeStatus{Phase: v1alpha1.ResizePreparing}
	if sameProxies(&before, &after) || sameProxies(nil, &after) || sameProxies(&before, nil) {
		t.Error("a phase is only progress")
	}
}

// TestStaleStatusOfProxies checks that the end of another warm-up does not end this one.
func TestStaleStatusOfProxies(t *testing.T) {
	c := newProxyCluster(t, proxied(3))
	c.settle()
	c.resize(4)
	for c.request.Parent.Status.Proxy.Servers != 4 {
		c.sync()
	}
	c.request.Parent.Status.Proxy = &v1alpha1.ProxyStatus{Servers: 3, PreviousServers: 4, Resize: &v1alpha1.ResizeStatus{Until: ago(60)}}
	c.sync()
	if resize := c.request.Parent.Status.Proxy.Resize; resize == nil || resize.Until == nil || !resize.Until.Equal(new(metav1.NewTime(c.request.Now.Add(time.Minute)))) {
		t.Errorf("the warm-up is %+v at %v", resize, c.request.Now)
	}
}
