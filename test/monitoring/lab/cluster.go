package lab

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// cluster has the metrics of what needs a cluster: those of kube-state-metrics about golden statuses, and constants in the place of
// those of the kubelet, of kube-state-metrics about pods, of the proxies' exporters, and of Metacontroller.
type cluster struct {
	states    StateMetrics
	resources []*unstructured.Unstructured
	servers   []*server
	started   time.Time
}

// newCluster returns a cluster with a cache that has proxies, one that is degraded, and one whose image does not exist.
func newCluster(servers []*server) (*cluster, error) {
	states, err := NewStateMetrics()
	if err != nil {
		return nil, err
	}
	c := &cluster{states: states, servers: servers, started: time.Now()}
	for _, each := range []struct{ golden, cache string }{{"proxies-warming-up", "web"}, {"flash-volume-claim-pending", "images"}, {"image-pull-back-off", "badimage"}} {
		resource, err := GoldenResource(filepath.Join(Golden, "memcached/sync", each.golden))
		if err != nil {
			return nil, err
		}
		resource.SetNamespace(namespace)
		resource.SetName(each.cache)
		var pods []any
		for _, server := range servers {
			if server.cache == each.cache {
				pods = append(pods, server.pod)
			}
		}
		status := resource.Object["status"].(map[string]any)
		status["nodes"] = pods
		if proxy, found := status["proxy"].(map[string]any); found {
			proxy["move"].(map[string]any)["until"] = c.started.Add(time.Hour).Format(time.RFC3339)
		}
		c.resources = append(c.resources, resource)
	}
	return c, nil
}

// ServeHTTP returns the metrics in Prometheus' format.
func (c *cluster) ServeHTTP(response http.ResponseWriter, _ *http.Request) {
	var text strings.Builder
	for _, resource := range c.resources {
		text.WriteString(c.states.Text(resource))
	}
	for _, server := range c.servers {
		memory, err := server.memoryBytes()
		if err != nil {
			continue // it restarts
		}
		c.container(&text, server.pod, "memcached", memory)
	}
	for _, pod := range []string{"web-proxy-5d8f7c9b6-4xk2p", "web-proxy-5d8f7c9b6-zt8wn"} {
		c.container(&text, pod, "proxy", 40<<20)
	}
	for result, reads := range map[string]float64{"hit": 90, "miss": 10} {
		fmt.Fprintf(&text, "memcached_proxy_reads_total{namespace=%q,memcached_cr=\"web\",phase=\"warming\",result=%q} %g\n", namespace, result, reads*time.Since(c.started).Seconds())
	}
	// A memcached that the operator does not manage.
	c.container(&text, "chunks-0", "memcached", 100<<20)
	seconds := time.Since(c.started).Seconds()
	fmt.Fprintf(&text, "metacontroller_sync_requests_total{controller_name=\"memcached\",code=\"200\"} %g\n", seconds)
	for _, le := range []string{"0.1", "1", "+Inf"} {
		fmt.Fprintf(&text, "metacontroller_sync_request_duration_histogram_seconds_bucket{controller_name=\"memcached\",le=%q} %g\n", le, seconds)
	}
	response.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = response.Write([]byte(text.String()))
}

// container writes the metrics of a container.
func (c *cluster) container(text *strings.Builder, pod, container string, memory int64) {
	labels := fmt.Sprintf("namespace=%q,pod=%q,container=%q", namespace, pod, container)
	fmt.Fprintf(text, "container_memory_working_set_bytes{%s} %d\n", labels, memory)
	fmt.Fprintf(text, "container_cpu_usage_seconds_total{%s} %g\n", labels, time.Since(c.started).Seconds()/10)
	fmt.Fprintf(text, "kube_pod_container_resource_limits{%s,resource=\"memory\"} %d\n", labels, 128<<20)
	fmt.Fprintf(text, "kube_pod_container_status_restarts_total{%s} 0\n", labels)
}
