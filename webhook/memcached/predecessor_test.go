package memcached

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// predecessorPods returns the pods of a deleted Memcached: twelve servers, and two proxies in the middle of a change.
func predecessorPods(created time.Time, deleted *metav1.Time) []observed.Pod {
	former := sample.Proxied(6)
	var pods []observed.Pod
	add := func(name string, labels map[string]string) {
		pod := readyPod(name, labels)
		pod.CreationTimestamp, pod.DeletionTimestamp = created, deleted
		pods = append(pods, pod)
	}
	for i := range 6 {
		add(fmt.Sprintf("cache-%d", i), children.SelectorLabels(former))
		add(fmt.Sprintf("cache-%d", i+6), children.SelectorLabels(former))
	}
	for i := range 2 {
		add(fmt.Sprintf("cache-proxy-%d", i), proxy.PodLabels(former, moves.ParseRoutes("0-5_6-11_preparing")))
	}
	return pods
}

// TestNewParentInheritsNothing checks that a Memcached starts with its own size and routes while pods of a deleted Memcached of the same name
// terminate: also if it was observed before they did, or if its own StatefulSet can be created first.
func TestNewParentInheritsNothing(t *testing.T) {
	deployment, statefulSet := sample.New(5), sample.New(2)
	statefulSet.Spec.Workload = v1alpha1.StatefulSetWorkload
	terminating := new(metav1.NewTime(noon.Add(20 * time.Second)))
	for want, memcached := range map[string]*v1alpha1.Memcached{
		"cache with 5": deployment, "cache with 2": statefulSet, "cache with 3, cache-proxy with 2 and routes 0-2": sample.Proxied(3),
	} {
		for _, deletions := range [][]*metav1.Time{{terminating, terminating}, {nil, terminating, terminating}} {
			memcached := memcached.DeepCopy()
			memcached.CreationTimestamp = noon
			request := syncRequest{Parent: memcached, Children: noChildren(), Now: metav1.NewTime(noon.Add(time.Second))}
			for i, deleted := range deletions {
				request.Related.Pods = composite.GroupOf(predecessorPods(noon.Add(-time.Hour), deleted)...)
				response, err := (Config{}).sync(request)
				if err != nil {
					t.Fatal(err)
				}
				memcached.Status = response.Status
				if deleted == nil {
					continue // the pods could be orphans, and no workload can be created before theirs is gone
				}
				request.Children.StatefulSets = applied(response.Children).StatefulSets
				for set := range request.Children.StatefulSets.All() {
					set.CreationTimestamp = request.Now.Time
				}
				if got := workloadsOf(response); got != want {
					t.Errorf("sync %d of %d: the workloads are %s, want %s", i, len(deletions), got, want)
				}
				if p := response.Status.Proxy; p != nil && p.Move != nil {
					t.Errorf("sync %d of %d: the proxies have the move %+v", i, len(deletions), p.Move)
				}
			}
		}
	}
}

// TestNewParentWaitsForServers checks that no proxy starts while servers of a deleted Memcached serve on: it would find their items.
func TestNewParentWaitsForServers(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.CreationTimestamp = noon
	request := syncRequest{Parent: memcached, Children: noChildren(), Now: metav1.NewTime(noon.Add(time.Second))}
	former := holding(predecessorPods(noon.Add(-time.Hour), new(metav1.NewTime(noon.Add(500*time.Second)))))
	for _, test := range []struct {
		pods []observed.Pod
		want string
	}{
		{former, "cache with 3, cache-proxy with 0 and routes 0-2"},
		{former[:1], "cache with 3, cache-proxy with 0 and routes 0-2"},
		{nil, "cache with 3, cache-proxy with 2 and routes 0-2"},
	} {
		request.Related.Pods = composite.GroupOf(test.pods...)
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := workloadsOf(response); got != test.want {
			t.Errorf("with %d pods of before: the workloads are %s, want %s", len(test.pods), got, test.want)
		}
		memcached.Status, request.Children = response.Status, appliedAt(response, request.Now)
	}
}

// holding returns pods whose memcached serves until their grace period ends.
func holding(pods []observed.Pod) []observed.Pod {
	running := observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Time}}
	for i := range pods {
		pods[i].Status.InitContainerStatuses = []observed.ContainerStatus{{Name: children.HoldName, State: running}}
		pods[i].Status.ContainerStatuses = []observed.ContainerStatus{{Name: children.ContainerName, State: running, Ready: true}}
	}
	return pods
}

// appliedAt returns the children of a response as they are observed, created at a time.
func appliedAt(response syncResponse, created metav1.Time) childGroups {
	groups := applied(response.Children)
	for set := range groups.StatefulSets.All() {
		set.CreationTimestamp = created.Time
	}
	for deployment := range groups.Deployments.All() {
		deployment.CreationTimestamp = created.Time
	}
	return groups
}

// TestNewParentBeforeGarbageCollection checks a Memcached that is created again while the garbage collector has not deleted the pods of the deleted
// one yet: proxies do not start, or stop again, and the cache has its own size and no move.
func TestNewParentBeforeGarbageCollection(t *testing.T) {
	for label, first := range map[string]string{
		"0-11":               "cache with 12, cache-proxy with 0 and routes 0-11",
		"0-5_6-11_preparing": "cache with 12, cache-proxy with 2 and routes 0-5_6-11_warming", // like orphans in the middle of a move
	} {
		memcached := sample.Proxied(3)
		memcached.CreationTimestamp = noon
		request := syncRequest{Parent: memcached, Children: noChildren(), Now: metav1.NewTime(noon.Add(time.Second))}
		terminating := holding(predecessorPods(noon.Add(-time.Hour), new(metav1.NewTime(noon.Add(500*time.Second)))))
		for i, test := range []struct {
			pods []observed.Pod
			want string
		}{
			{holding(predecessorPods(noon.Add(-time.Hour), nil)), first},
			{terminating, "cache with 12, cache-proxy with 0 and routes 0-2"},
			{terminating, "cache with 12, cache-proxy with 0 and routes 0-2"},
			{nil, "cache with 12, cache-proxy with 2 and routes 0-2"}, // RemovingServers
		} {
			for j := range test.pods {
				if test.pods[j].Labels[proxy.RoutesLabel] != "" {
					test.pods[j].Labels[proxy.RoutesLabel] = label
				}
			}
			request.Related.Pods = composite.GroupOf(test.pods...)
			response, err := proxyConfig.sync(request)
			if err != nil {
				t.Fatal(err)
			}
			if got := workloadsOf(response); got != test.want {
				t.Errorf("sync %d after proxies with %s: the workloads are %s, want %s", i, label, got, test.want)
			}
			memcached.Status, request.Children = response.Status, appliedAt(response, request.Now)
		}
	}
}

// TestAdoptedProxiesCount checks that proxies of a deleted Memcached count once one of its workloads is adopted, also while they terminate: they
// know the move that is under way.
func TestAdoptedProxiesCount(t *testing.T) {
	request := proxied(t, 4, "0-2_0-3_warming")
	request.Parent.CreationTimestamp, request.Parent.Status = noon, v1alpha1.MemcachedStatus{} // later than the StatefulSet
	for pod := range request.Related.Pods.All() {
		pod.DeletionTimestamp = ago(-20)
	}
	remove(&request.Children.Deployments, "cache-proxy")
	response, err := proxyConfig.sync(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := workloadsOf(response); got != "cache with 4, cache-proxy with 2 and routes 0-2_0-3_warming" {
		t.Errorf("only the StatefulSet is adopted: %s", got)
	}
}
