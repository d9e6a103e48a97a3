package proxy

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// routed returns the pod template of proxies of three servers.
func routed(memcached *v1alpha1.Memcached) Template {
	memcached = memcached.WithDefaults()
	return PodTemplate(memcached, ReleaseDefaults{Domain: "cluster.local"}, memory.Of(&memcached.Spec), moves.ParseRoutes("0-2"))
}

// TestProxyPodOptions checks that the options of pods apply to proxies. TestPlacement checks those that place servers.
func TestProxyPodOptions(t *testing.T) {
	memcached := sample.Proxied(3)
	spec := &memcached.Spec
	spec.PodLabels = map[string]v1alpha1.LabelValue{"team": "shop", children.ProxyLabel: "other", RoutesLabel: "9"}
	spec.PodAnnotations = map[string]string{"a": "b"}
	spec.NodeSelector = map[string]string{"disk": "none"}
	spec.Proxy.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	template := routed(memcached)
	if template.Labels["team"] != "shop" || template.Labels[children.ProxyLabel] != "cache" || template.Labels[RoutesLabel] != "0-2" || template.Annotations["a"] != "b" {
		t.Errorf("labels %v, annotations %v", template.Labels, template.Annotations["a"])
	}
	const evict = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
	if got := template.Annotations[evict]; got != ReachName {
		t.Errorf("the cluster autoscaler may delete the volume %q, want %q: otherwise it removes no node with a proxy", got, ReachName)
	}
	spec.PodAnnotations[evict] = "none"
	if got := routed(memcached).Annotations[evict]; got != "none" {
		t.Errorf("the annotation is %q, want that of spec", got)
	}
	if template.Spec.NodeSelector["disk"] != "none" || len(template.Spec.Containers[0].Resources.Requests) != 0 {
		t.Errorf("the node selector and the resources are those of spec: %+v", template.Spec)
	}
}

// TestProxiesAreNoServers checks that selectors never select the pods of another workload, even if a Memcached has the name
// of the proxies of another one.
func TestProxiesAreNoServers(t *testing.T) {
	memcached, other := sample.Proxied(3), sample.Proxied(3)
	other.Name = Name(memcached)
	servers := func(memcached *v1alpha1.Memcached) map[string]string {
		return children.PodTemplate(memcached, children.ReleaseDefaults{}, memory.Of(&memcached.Spec)).Labels
	}
	pods := map[string]map[string]string{
		"cache": servers(memcached), "cache-proxy": routed(memcached).Labels,
		"other": servers(other), "other-proxy": routed(other).Labels,
	}
	for name, selector := range map[string]map[string]string{
		"cache": children.SelectorLabels(memcached), "cache-proxy": children.ProxySelector(memcached), "other": children.SelectorLabels(other), "other-proxy": children.ProxySelector(other),
	} {
		for pod, labels := range pods {
			if got := k8slabels.SelectorFromSet(selector).Matches(k8slabels.Set(labels)); got != (pod == name) {
				t.Errorf("the selector of %s selects the pods of %s: %t", name, pod, got)
			}
		}
	}
}

func TestLongestProxyName(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Name = strings.Repeat("a", 50) // the maximum with proxies
	if problems := validation.IsDNS1035Label(Name(memcached)); problems != nil {
		t.Errorf("the Service of the proxies cannot have the name %s: %v", Name(memcached), problems)
	}
	routes := moves.ParseRoutes("1000-1999_1000-1998_announcing")
	if problems := validation.IsValidLabelValue(routes.String()); problems != nil {
		t.Errorf("routes %s are no valid label: %v", routes, problems)
	}
}

// TestProxyMemoryLimit checks that the memory limit follows from the number of connections, unless spec sets resources.
func TestProxyMemoryLimit(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.Cache.MaxConnections = new(int64(100_000))
	limit := func() string {
		return routed(memcached).Spec.Containers[0].Resources.Limits.Memory().String()
	}
	if got := limit(); got != "4896Mi" {
		t.Errorf("the limit for 100,000 connections is %s, want 4896Mi", got)
	}
	memcached.Spec.Proxy.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	if got := limit(); got != "1Gi" {
		t.Errorf("the limit is %s, want 1Gi as in spec", got)
	}
}

// TestProxyReaches checks the startup probe that runs the copied program: it is not killed while it waits, the kubelet does not restart a proxy
// for hours in which no server runs, and the probe finds the copy. The directory of the copy is none that the image has a file for: the container
// would not start.
func TestProxyReaches(t *testing.T) {
	memcached := sample.Proxied(3)
	pod := PodTemplate(memcached, ReleaseDefaults{ReachImage: "operator:1"}, memory.Of(&memcached.Spec), moves.ParseRoutes("0-2")).Spec
	probe, copied := pod.Containers[0].StartupProbe, pod.InitContainers[0]
	if probe.Exec == nil || time.Duration(probe.TimeoutSeconds)*time.Second <= reachWait {
		t.Fatalf("the startup probe is %+v, want a command with more time than %s", probe, reachWait)
	}
	if lasts := time.Duration(probe.FailureThreshold) * reachWait; lasts < 12*time.Hour {
		t.Errorf("the kubelet restarts a proxy that reaches no server after %s", lasts)
	}
	if want := "--copy-to=" + probe.Exec.Command[0]; copied.Args[1] != want || copied.Image != "operator:1" {
		t.Errorf("the init container has image %s and %q, want operator:1 and %q", copied.Image, copied.Args, want)
	}
	for _, container := range []corev1.Container{copied, pod.Containers[0]} {
		if mount := container.VolumeMounts[len(container.VolumeMounts)-1]; mount.Name != pod.Volumes[1].Name || !strings.HasPrefix(probe.Exec.Command[0], mount.MountPath+"/") {
			t.Errorf("container %s mounts %+v", container.Name, mount)
		}
	}
	dockerfile, err := os.ReadFile("../../../Dockerfile")
	if err != nil || bytes.Contains(dockerfile, []byte(`"`+reachDirectory+`"`)) {
		t.Errorf("the program of the image is at %s, which is mounted; %v", reachDirectory, err)
	}
}

// TestProxyStartsBeforeClients checks, for an operator without an image, that a proxy has the time for two attempts to connect to the servers before clients use it, and that
// a proxy that does not accept connections is restarted after a minute at most.
func TestProxyStartsBeforeClients(t *testing.T) {
	memcached := sample.Proxied(3)
	probe := routed(memcached).Spec.Containers[0].StartupProbe
	if probe == nil || probe.InitialDelaySeconds < 2 {
		t.Fatalf("the startup probe is %+v, want one that begins after 2 s: a failed attempt takes 1.4 s, and the next one follows immediately", probe)
	}
	if seconds := probe.InitialDelaySeconds + probe.PeriodSeconds*probe.FailureThreshold; seconds > 60 {
		t.Errorf("a proxy that cannot start is restarted after %d s, want at most 60 s", seconds)
	}
}

// TestWarmupKeepsProxies: the cluster may have no room for another proxy when a user disables the warm-up, because a change has no room.
func TestWarmupKeepsProxies(t *testing.T) {
	template := func(enabled bool) Template {
		memcached := sample.Proxied(2)
		memcached.Spec.Proxy.Warmup.Enabled = &enabled
		return PodTemplate(memcached, ReleaseDefaults{Image: "memcached:1", Library: Library}, memory.Of(&memcached.Spec), moves.ParseRoutes("0-1"))
	}
	if diff := cmp.Diff(template(true), template(false)); diff != "" {
		t.Errorf("the warm-up changes the pod template of the proxies (-enabled +disabled):\n%s", diff)
	}
}
