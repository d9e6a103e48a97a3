package memcached

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

func sample(size int32) *v1alpha1.Memcached {
	return &v1alpha1.Memcached{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Memcached"},
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "web", Generation: 3},
		Spec:       v1alpha1.MemcachedSpec{Size: &size},
	}
}

func planOf(memcached *v1alpha1.Memcached, replicas int32, reloaderImage string) plan {
	return plan{replicas: replicas, memory: memorySizeOf(&memcached.Spec), reloaderImage: reloaderImage}
}

func observe(memcached *v1alpha1.Memcached) syncRequest {
	return syncRequest{
		Parent: memcached,
		Children: childGroups{Deployments: composite.GroupOf(observed.Workload{
			ChildMeta: observed.ChildMeta{Name: "cache", Namespace: "web"}, Spec: observed.WorkloadSpec{Replicas: new(int32(1))},
		})},
		Related: relatedGroups{Pods: composite.GroupOf(observed.Pod{
			Meta: observed.Meta{Name: "cache-1", Namespace: "web", Labels: selectorLabels(memcached)},
		})},
	}
}

func TestSyncLeavesItsInputAlone(t *testing.T) {
	request, again := observe(sample(2)), observe(sample(2))
	request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionTrue}}
	again.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionTrue}}
	if _, err := (Config{}).sync(request); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again.Parent, request.Parent); diff != "" {
		t.Errorf("a pure function changed the parent (-before +after):\n%s", diff)
	}
	for pod := range request.Related.Pods.All() {
		if pod.Name != "cache-1" || len(pod.Labels) != 2 {
			t.Errorf("a pure function changed a pod: %v", pod)
		}
	}
}

func TestValidate(t *testing.T) {
	size := func(n int32) *int32 { return &n }
	cases := []struct {
		reason, name string
		size         *int32
		sentence     string
	}{
		{"a good one", "cache", size(3), ""},
		{"none is a number of pods too", "cache", size(0), ""},
		{"an absent size must not read as 0", "cache", nil, "spec.size: Required"},
		{"less than none", "cache", size(-1), "spec.size: Invalid"},
		{"a name that is no label value", strings.Repeat("a", 64), size(1), "metadata.name"},
		{"a name that is no Service name", "1cache", size(1), "metadata.name"},
		{"a name with a dot", "my.cache", size(1), "metadata.name"},
	}
	for _, test := range cases {
		memcached := sample(0)
		memcached.Name, memcached.Spec.Size = test.name, test.size
		_, err := (Config{}).sync(observe(memcached))
		if test.sentence == "" {
			if err != nil {
				t.Errorf("%s: %v", test.reason, err)
			}
			continue
		}
		parentError, ok := errors.AsType[*composite.ParentError](err)
		if !ok || !strings.Contains(parentError.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}

func TestSyncKeepsTheWorkload(t *testing.T) {
	request := observe(sample(2))
	request.Parent.Spec.Workload = v1alpha1.StatefulSetWorkload
	_, err := (Config{}).sync(request)
	if _, ok := errors.AsType[*composite.ParentError](err); !ok {
		t.Errorf("the Deployment that runs would be deleted, with all that is cached: %v", err)
	}
	request = observe(sample(2))
	request.Children.StatefulSets, request.Children.Deployments = request.Children.Deployments, composite.GroupOf[observed.Workload]()
	if _, err = (Config{}).sync(request); err == nil {
		t.Error("the StatefulSet that runs would be deleted, with all that is cached")
	}
	for _, replicas := range []*int32{nil, new(int32(-1))} {
		request = observe(sample(2))
		for workload := range request.Children.Deployments.All() {
			workload.Spec.Replicas = replicas
		}
		_, err = (Config{}).sync(request)
		if _, ok := errors.AsType[*composite.RequestError](err); !ok {
			t.Errorf("a size that nobody observed would read as none, and a step from there as a few: %v", err)
		}
	}
}

// TestValidateChildren: what the API server would refuse of a child must not look as if it were in place.
func TestValidateChildren(t *testing.T) {
	block := func(cidr string, except ...string) func(*v1alpha1.MemcachedSpec) {
		return func(spec *v1alpha1.MemcachedSpec) {
			spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: except}}}
		}
	}
	cases := []struct {
		reason   string
		edit     func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"a range", block("10.0.0.0/8", "10.1.0.0/16"), ""},
		{"a range of IPv6", block("2001:db8::/32"), ""},
		{"an address is no range", block("10.0.0.0"), "spec.networkPolicy.from[0].ipBlock.cidr"},
		{"what is taken out must be in it", block("10.0.0.0/8", "192.168.0.0/16"), "spec.networkPolicy.from[0].ipBlock.except[0]"},
		{"and not be all of it", block("10.0.0.0/8", "10.0.0.0/8"), "spec.networkPolicy.from[0].ipBlock.except[0]"},
		{"a claim on what no pod has", func(spec *v1alpha1.MemcachedSpec) { spec.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}} }, "spec.resources.claims"},
		{"the exporter's too", func(spec *v1alpha1.MemcachedSpec) {
			spec.Metrics.Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
		}, "spec.metrics.resources.claims"},
		{
			"the label by which Metacontroller knows its children",
			func(spec *v1alpha1.MemcachedSpec) {
				spec.Metrics = v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{Labels: map[string]v1alpha1.LabelValue{"controller-uid": "x"}}}
			},
			"spec.metrics.serviceMonitor.labels",
		},
	}
	for _, test := range cases {
		memcached := sample(1)
		test.edit(&memcached.Spec)
		err := validate(memcached, &childGroups{})
		if (err == nil) != (test.sentence == "") || err != nil && !strings.Contains(err.Error(), test.sentence) {
			t.Errorf("%s: error %v, want one about %q", test.reason, err, test.sentence)
		}
	}
}

func TestValidateMemory(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"both are given and too tight: the cache runs, and status says so", func(s *v1alpha1.MemcachedSpec) { s.Cache.MemoryMB, s.Resources = new(int64(64)), limitedTo("80Mi") }, ""},
		{"the least cache fits to the MiB", func(s *v1alpha1.MemcachedSpec) { s.Resources = limitedTo("70Mi") }, ""},
		{"and not under a MiB less", func(s *v1alpha1.MemcachedSpec) { s.Resources = limitedTo("69Mi") }, `spec.resources.limits[memory]: Invalid value: "69Mi": must be at least 70Mi: 16 MiB of items`},
		{"the largest item needs twice its size", func(s *v1alpha1.MemcachedSpec) { s.Resources, s.Cache.MaxItemSize = limitedTo("128Mi"), "64m" }, "must be at least 193Mi: 128 MiB of items"},
		{"the limit follows from the items, and is below the request", func(s *v1alpha1.MemcachedSpec) {
			s.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		}, `spec.resources.requests[memory]: Invalid value: "1Gi": must not be above the limit of 123Mi`},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, test.change, test.sentence)
	}
}
