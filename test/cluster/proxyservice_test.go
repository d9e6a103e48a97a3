package cluster

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestServiceOfProxies makes the Service of proxies one for clients outside of the cluster, and back again.
func TestServiceOfProxies(t *testing.T) {
	because(t, "clients keep their address while the Service changes, and no sync writes what the API server or a controller of the cloud has set")
	t.Parallel()
	m := newMemcachedOf(t, newNamespace(t), "cache", 1, map[string]any{"proxy": map[string]any{}})
	inside := patchService(t, m, `{"trafficDistribution":"PreferSameZone"}`, func(s *corev1.Service) bool { return s.Spec.TrafficDistribution != nil })

	outside := patchService(t, m, `{"type":"LoadBalancer","externalTrafficPolicy":"Local","annotations":{"example.com/internal":"true"}}`,
		func(s *corev1.Service) bool { return s.Spec.Type == corev1.ServiceTypeLoadBalancer })
	want := outside.DeepCopy()
	want.Annotations["example.com/controller"] = "1"
	must(t, shared.Client.Patch(t.Context(), want, client.MergeFrom(outside)))
	want.Spec.TrafficDistribution = new("PreferClose")
	same := patchService(t, m, `{"trafficDistribution":"PreferClose"}`, func(s *corev1.Service) bool { return *s.Spec.TrafficDistribution == "PreferClose" })
	if outside.Spec.Ports[0].NodePort == 0 || outside.Spec.HealthCheckNodePort == 0 {
		t.Fatalf("the API server has set no ports of nodes: %v", outside.Spec)
	}
	if diff := cmp.Diff(want.Spec, same.Spec); diff != "" {
		t.Errorf("a change of trafficDistribution changes other fields (-want +got):\n%s", diff)
	}
	syncs := func() int { return hook.syncsOf(m.GetNamespace(), m.GetName()) }
	before := syncs()
	eventually(t, waitTimeout, "two more syncs", func(context.Context) error {
		kubectl(t, "annotate", "--namespace", m.GetNamespace(), "--overwrite", "memcached/cache", fmt.Sprintf("example.com/syncs=%d", syncs()))
		if got := syncs(); got < before+2 {
			return fmt.Errorf("%d syncs", got-before)
		}
		return nil
	})
	if got := serviceOf(t, m); got.ResourceVersion != same.ResourceVersion {
		t.Errorf("a sync without a change has written the Service:\n%s", cmp.Diff(same, got))
	}

	again := patchService(t, m, `{"type":null,"externalTrafficPolicy":null,"annotations":null,"trafficDistribution":"PreferSameZone"}`,
		func(s *corev1.Service) bool { return s.Spec.Type == corev1.ServiceTypeClusterIP })
	if diff := cmp.Diff(inside.Spec, again.Spec); diff != "" {
		t.Errorf("the Service is not as it was before (-want +got):\n%s", diff)
	}
	if again.Annotations["example.com/controller"] != "1" || again.Annotations["example.com/internal"] != "" {
		t.Errorf("annotations %v, want that of the controller without that of spec", again.Annotations)
	}
}

// patchService changes spec.proxy.service, admits all addresses, and returns the Service of the proxies once it is as desired.
func patchService(t *testing.T, m *unstructured.Unstructured, fields string, isDesired func(*corev1.Service) bool) *corev1.Service {
	t.Helper()
	kubectl(t, "patch", "--namespace", m.GetNamespace(), "memcached/"+m.GetName(), "--type=merge",
		"--patch", `{"spec":{"networkPolicy":{"from":[{"ipBlock":{"cidr":"0.0.0.0/0"}}]},"proxy":{"service":`+fields+`}}}`)
	var service *corev1.Service
	eventually(t, waitTimeout, "the Service has "+fields, func(context.Context) error {
		if service = serviceOf(t, m); !isDesired(service) {
			return fmt.Errorf("%v", service.Spec)
		}
		return nil
	})
	return service
}

func serviceOf(t *testing.T, m *unstructured.Unstructured) *corev1.Service {
	t.Helper()
	service := &corev1.Service{}
	must(t, shared.Client.Get(t.Context(), client.ObjectKey{Namespace: m.GetNamespace(), Name: m.GetName() + "-proxy"}, service))
	return service
}
