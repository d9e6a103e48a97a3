package memcached

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// predecessorPods returns the pods of a deleted Memcached: twelve servers, and two proxies in the middle of a change.
func predecessorPods(created time.Time, deleted *metav1.Time) []observed.Pod {
	former := sample.Proxied(6)
	former.Default()
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
		add(fmt.Sprintf("cache-proxy-%d", i), proxy.PodLabels(former, scaling.ParseRoutes("0-5_6-11_preparing")))
	}
	return pods
}

// TestNewParentInheritsNothing checks that a Memcached starts with its own size and routes while pods of a deleted Memcached of the same name
// terminate: also if it was observed before they did, or if its own StatefulSet can be created first.
func TestNewParentInheritsNothing(t *testing.T) {
	deployment, statefulSet := sample.New(5), sample.New(2)
	statefulSet.Spec.Workload = v1alpha1.StatefulSetWorkload
	terminating := new(metav1.NewTime(noon.Add(20 * time.Second)))
	for reason, memcached := range map[string]*v1alpha1.Memcached{"a Deployment": deployment, "a StatefulSet": statefulSet, "a StatefulSet with proxies": sample.Proxied(2)} {
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
				var workloads []string
				for _, child := range response.Children {
					switch child := child.(type) {
					case *appsv1.Deployment:
						if child.Name == "cache" {
							workloads = append(workloads, fmt.Sprint("cache with ", *child.Spec.Replicas))
						}
					case *appsv1.StatefulSet:
						workloads = append(workloads, fmt.Sprint(child.Name, " with ", *child.Spec.Replicas))
						applied := requests.Applied[observed.Workload](child)
						applied.CreationTimestamp = request.Now.Time
						request.Children.StatefulSets = composite.GroupOf(applied)
					}
				}
				if diff := cmp.Diff([]string{fmt.Sprint("cache with ", *memcached.Spec.Size)}, workloads); diff != "" {
					t.Errorf("%s, sync %d of %d: servers (-want +got):\n%s", reason, i, len(deletions), diff)
				}
				if p := response.Status.Proxy; p != nil && (p.Controller.Routes != "0-1" || p.Move != nil) {
					t.Errorf("%s, sync %d of %d: the status of the proxies is %+v", reason, i, len(deletions), p)
				}
			}
		}
	}
}

// TestAdoptedProxiesCount checks that proxies of a deleted Memcached count once one of its workloads is adopted: servers that they use stay.
func TestAdoptedProxiesCount(t *testing.T) {
	c := newProxyCluster(t, sample.Proxied(5))
	c.settle()
	c.request.Parent.CreationTimestamp, c.request.Parent.Status = noon, v1alpha1.MemcachedStatus{} // later than the StatefulSet
	c.request.Children.Deployments = composite.GroupOf[observed.Workload]()
	c.resize(2)
	c.history = nil
	c.sync()
	c.wantHistory("only the StatefulSet is adopted", "servers 0-4, 2 proxies with routes 0-4")
}
