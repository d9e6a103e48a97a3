package diagnosis

import (
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func TestHoldNotRunning(t *testing.T) {
	running := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: time.Unix(1, 0)}}
	server := func(name string, memcached, hold observed.ContainerState) *observed.Pod {
		pod := &observed.Pod{Meta: observed.Meta{Name: name}}
		pod.Status.ContainerStatuses = []observed.ContainerStatus{{Name: children.ContainerName, State: memcached}}
		pod.Status.InitContainerStatuses = []observed.ContainerStatus{{Name: children.HoldName, State: hold}}
		return pod
	}
	none := observed.ContainerState{}
	holds, other := server("cache-0", running, running), server("cache-1", running, none)
	withProxies := v1alpha1.MemcachedSpec{Proxy: &v1alpha1.Proxy{}}
	for _, test := range []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		image  string
		pods   []*observed.Pod
		want   string
	}{
		{"all servers hold", withProxies, "operator:1", []*observed.Pod{holds, holds}, ""},
		{"a pod has an earlier template, or its sidecar has failed", withProxies, "operator:1", []*observed.Pod{holds, other}, "1 of 2 pods, such as cache-1: "},
		{"the operator runs without --operator-image", withProxies, "", []*observed.Pod{other, server("cache-0", running, none)}, "2 of 2 pods, such as cache-0: Run the operator"},
		{"a server that has not started has no items", withProxies, "operator:1", []*observed.Pod{holds, server("cache-1", none, none)}, ""},
		{"there are no proxies", v1alpha1.MemcachedSpec{}, "", []*observed.Pod{other}, ""},
		{"the user has switched the warm-up off", v1alpha1.MemcachedSpec{Proxy: &v1alpha1.Proxy{Warmup: v1alpha1.Warmup{Enabled: new(false)}}}, "", []*observed.Pod{other}, ""},
	} {
		found := holdNotRunning(&Input{Memcached: cacheOf(test.spec), Images: children.Images{Hold: test.image}, Input: &conditions.Input{Pods: test.pods}})
		got := ""
		if found.Risk != nil {
			got = strings.Replace(found.Risk.Message, ", so items are lost if such a pod is drained or deleted. ", ": ", 1)
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: the risk is %q, want %q", test.reason, got, test.want)
		}
	}
}
