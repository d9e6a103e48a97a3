package memcached

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestHoldImage checks that an upgrade of the operator, which configures another image of the sidecar, does not replace pods, unless the
// image of the sidecar keeps memcached from starting.
func TestHoldImage(t *testing.T) {
	pulling := func(o *syncRequest) {
		for pod := range o.Related.Pods.All() {
			pod.Status.InitContainerStatuses = []observed.ContainerStatus{waiting(children.HoldName)}
			pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: children.ContainerName, State: observed.ContainerState{
				Waiting: &observed.ContainerWaiting{Reason: "PodInitializing"},
			}}}
		}
	}
	cases := []struct {
		reason         string
		applied, image string
		edit           func(*syncRequest)
		want           string
	}{
		{"only the configured image changes", "operator:1", "operator:2", func(*syncRequest) {}, "operator:1"},
		{"the operator runs without --operator-image", "operator:1", "", func(*syncRequest) {}, "operator:1"},
		{"the operator ran without --operator-image", "", "operator:2", func(*syncRequest) {}, ""},
		{"spec needs the sidecar since proxies were added, or since the warm-up was enabled", "", "operator:2", func(o *syncRequest) {
			delete(o.Children.StatefulSets.Get("web", "cache").Annotations, children.ImageAnnotation(children.HoldName))
		}, "operator:2"},
		{"an argument changes", "operator:1", "operator:2", func(o *syncRequest) { o.Parent.Spec.Cache.Threads = new(int32(2)) }, "operator:2"},
		{"the grace period changes", "operator:1", "operator:2", func(o *syncRequest) { o.Parent.Spec.TerminationGracePeriodSeconds = new(int64(900)) }, "operator:2"},
		{"the image cannot be pulled, so memcached cannot start", "operator:1", "operator:2", pulling, "operator:2"},
		{"the image cannot be pulled, and there is no other", "operator:1", "", pulling, ""},
		{"the sidecar restarts, and memcached serves", "operator:1", "operator:2", func(o *syncRequest) {
			for pod := range o.Related.Pods.All() {
				pod.Status.InitContainerStatuses = []observed.ContainerStatus{waiting(children.HoldName)}
			}
		}, "operator:1"},
		{"the items no longer move", "operator:1", "operator:2", func(o *syncRequest) { o.Parent.Spec.Proxy.Warmup.Enabled = new(false) }, ""},
		{"there is no workload", "operator:1", "operator:2", func(o *syncRequest) { o.Children.StatefulSets = composite.GroupOf[observed.Workload]() }, "operator:2"},
	}
	for _, test := range cases {
		request := settledDefaults(sample.Proxied(2), children.ReleaseDefaults{Images: children.Images{Hold: test.applied}})
		test.edit(&request)
		o := Config{}.observe(&request)
		templates, err := (Config{OperatorImage: test.image}).templates(o)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		got := ""
		for _, container := range templates.servers.Spec.InitContainers {
			got = container.Image
		}
		if got != test.want {
			t.Errorf("%s: the image is %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestProxyExporterImage checks that an upgrade of the operator does not replace proxies for the image of their exporter.
func TestProxyExporterImage(t *testing.T) {
	cases := []struct {
		reason         string
		applied, image string
		edit           func(*syncRequest)
		want           string
	}{
		{"only the configured image changes", "operator:1", "operator:2", func(*syncRequest) {}, "operator:1"},
		{"the operator runs without --operator-image", "operator:1", "", func(*syncRequest) {}, "operator:1"},
		{"the operator ran without --operator-image", "", "operator:2", func(*syncRequest) {}, ""},
		{"spec needs the exporter since metrics were enabled", "", "operator:2", func(o *syncRequest) {
			delete(o.Children.Deployments.Get("web", "cache-proxy").Annotations, children.ImageAnnotation(children.ExporterName))
		}, "operator:2"},
		{"an argument changes", "operator:1", "operator:2", func(o *syncRequest) { o.Parent.Spec.Cache.Threads = new(int32(2)) }, "operator:2"},
		{"the metrics are disabled", "operator:1", "operator:2", func(o *syncRequest) { o.Parent.Spec.Metrics.Enabled = false }, ""},
		{"there are no proxies", "operator:1", "operator:2", func(o *syncRequest) { o.Children.Deployments = composite.GroupOf[observed.Workload]() }, "operator:2"},
	}
	for _, test := range cases {
		memcached := sample.Proxied(2)
		memcached.Spec.Metrics.Enabled = true
		routes, request := moves.ParseRoutes("0-2"), settledDefaults(memcached, children.ReleaseDefaults{})
		defaults := proxy.ReleaseDefaults{Image: children.DefaultImage, Library: proxy.Library, ExporterImage: test.applied, Domain: DefaultClusterDomain}
		desired := &proxy.Input{Memcached: memcached, Template: proxy.PodTemplate(memcached, defaults, memory.Of(&memcached.Spec), routes), Decision: moves.Decision{ProxyReplicas: 2}}
		request.Children.Deployments = applied(proxy.Children(desired)).Deployments
		test.edit(&request)
		templates, err := (Config{OperatorImage: test.image}).templates(Config{}.observe(&request))
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		got := ""
		for _, container := range templates.proxies.with(routes).Spec.Containers[1:] {
			got = container.Image
		}
		if got != test.want {
			t.Errorf("%s: the image is %q, want %q", test.reason, got, test.want)
		}
	}
}
