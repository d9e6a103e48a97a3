package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestTolerationsOfRunningPods checks that an upgrade from an operator with another default replaces no pod, and that each pod that is replaced gets
// the new one: proxies with each phase.
func TestTolerationsOfRunningPods(t *testing.T) {
	type seconds struct{ Servers, Proxies, NextProxies int64 }
	settings := func(edit func(*v1alpha1.MemcachedSpec)) func(*syncRequest) {
		return func(o *syncRequest) { edit(&o.Parent.Spec) }
	}
	for _, test := range []struct {
		reason  string
		applied int64
		edit    func(*syncRequest)
		want    seconds
	}{
		{"the operator that created the pods had another default", 60, func(*syncRequest) {}, seconds{60, 60, 30}},
		{"the operator that created the pods had the same default", 30, func(*syncRequest) {}, seconds{30, 30, 30}},
		{"the size changes", 60, settings(func(s *v1alpha1.MemcachedSpec) { s.Size = new(int32(5)) }), seconds{60, 60, 30}},
		{"an argument changes", 60, settings(func(s *v1alpha1.MemcachedSpec) { s.Cache.Threads = new(int32(2)) }), seconds{30, 30, 30}},
		{"spec sets another number", 30, settings(func(s *v1alpha1.MemcachedSpec) { s.UnreachableNodeTolerationSeconds = new(int64(0)) }), seconds{0, 0, 0}},
		{"spec sets the default", 30, settings(func(s *v1alpha1.MemcachedSpec) { s.UnreachableNodeTolerationSeconds = new(int64(30)) }), seconds{30, 30, 30}},
		{"the workloads are new", 60, func(o *syncRequest) {
			o.Children.StatefulSets, o.Children.Deployments = composite.GroupOf[observed.Workload](), composite.GroupOf[observed.Workload]()
		}, seconds{30, 30, 30}},
	} {
		memcached, routes := sample.Proxied(3), moves.ParseRoutes("0-2")
		request := settledDefaults(memcached, children.ReleaseDefaults{TolerationSeconds: test.applied})
		defaults := proxy.ReleaseDefaults{Image: children.DefaultImage, Library: proxy.Library, Domain: DefaultClusterDomain, TolerationSeconds: test.applied}
		in := &proxy.Input{Memcached: memcached, Template: proxy.PodTemplate(memcached, defaults, memory.Of(&memcached.Spec), routes), Decision: moves.Decision{ProxyReplicas: 2}}
		request.Children.Deployments = applied(proxy.Children(in)).Deployments
		test.edit(&request)
		templates, err := (Config{}).templates(Config{}.observe(&request))
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		of := func(template corev1.PodTemplateSpec) int64 {
			if len(template.Spec.Tolerations) != 2 {
				t.Fatalf("%s: the tolerations are %v", test.reason, template.Spec.Tolerations)
			}
			return *template.Spec.Tolerations[0].TolerationSeconds
		}
		got := seconds{of(templates.servers.PodTemplateSpec), of(templates.proxies.with(routes).PodTemplateSpec), of(templates.proxies.with(moves.ParseRoutes("0-2_0-3_warming")).PodTemplateSpec)}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestTolerationsWithoutProxies checks that servers end as those of a new cache when proxies are added or removed, also if their items do not move.
func TestTolerationsWithoutProxies(t *testing.T) {
	for _, test := range []struct {
		reason  string
		applied int64
		proxied bool
		want    int
	}{
		{"proxies are added to a StatefulSet", 0, true, 2},
		{"the proxies are removed", 30, false, 0},
	} {
		memcached := sample.Proxied(3)
		memcached.Spec.Proxy.Warmup.Enabled = new(false)
		request := settledDefaults(memcached, children.ReleaseDefaults{TolerationSeconds: test.applied})
		if test.proxied {
			for set := range request.Children.StatefulSets.All() {
				set.Annotations = nil
			}
		} else {
			memcached.Spec.Workload, memcached.Spec.Proxy = v1alpha1.StatefulSetWorkload, nil
		}
		templates, err := (Config{}).templates(Config{}.observe(&request))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(templates.servers.Spec.Tolerations); got != test.want {
			t.Errorf("%s: the servers get %d tolerations, want %d", test.reason, got, test.want)
		}
	}
}
