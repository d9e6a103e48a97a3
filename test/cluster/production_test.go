package cluster

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestStatefulSet(t *testing.T) {
	because(t, "a replaced pod keeps its name, so clients that hash by name keep all other keys")
	t.Parallel()
	m := newMemcachedOf(t, newNamespace(t), "cache", 3, map[string]any{"workload": "StatefulSet"})
	want := []string{"cache-0", "cache-1", "cache-2"}
	if diff := cmp.Diff(want, nodes(m)); diff != "" {
		t.Errorf("status.nodes (-want +got):\n%s", diff)
	}
	servers := func() []string {
		names, _, err := unstructured.NestedStringSlice(m.Object, "status", "servers")
		must(t, err)
		return names
	}
	namespace := m.GetNamespace()
	wantServers := []string{
		"cache-0.cache." + namespace + ".svc.cluster.local:11211", "cache-1.cache." + namespace + ".svc.cluster.local:11211", "cache-2.cache." + namespace + ".svc.cluster.local:11211",
	}
	if diff := cmp.Diff(wantServers, servers()); diff != "" {
		t.Errorf("status.servers (-want +got):\n%s", diff)
	}
	kubectl(t, "delete", "pod", "--namespace", namespace, "cache-1")
	waitReady(t, m, 3, waitTimeout)
	if diff := cmp.Diff(wantServers, servers()); diff != "" {
		t.Errorf("status.servers after a pod was replaced (-want +got):\n%s", diff)
	}
	if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), &appsv1.Deployment{}); !apierrors.IsNotFound(err) {
		t.Errorf("a Deployment exists in addition to the StatefulSet: %v", err)
	}
}

// allFields sets every field that creates or changes a child.
const allFields = `{"spec":{
	"image": "memcached:1.6.39-alpine", "imagePullPolicy": "Always", "imagePullSecrets": [{"name": "registry"}],
	"resources": {"limits": {"memory": "1024Mi", "cpu": "1000m"}, "requests": {"cpu": "0.1"}},
	"cache": {"memory": "100Mi", "maxConnections": 2048, "verbosity": 2, "extraArgs": ["-f", "1.5"]},
	"rollout": {"minReadySeconds": 0, "maxSurge": "25%", "maxUnavailable": 1},
	"service": {"annotations": {"example.com/service": "x"}},
	"podDisruptionBudget": {"minAvailable": "50%"},
	"networkPolicy": {"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
	"preStopSleepSeconds": 0, "terminationGracePeriodSeconds": 10,
	"serviceAccountName": "cache", "nodeSelector": {"kubernetes.io/os": "linux"},
	"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}],
	"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [{"key": "x", "operator": "Exists"}]}}]}},
	"topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}],
	"podLabels": {"team": "shop"}, "podAnnotations": {"example.com/pod": "x"},
	"podSecurityContext": {"supplementalGroups": [7]}, "securityContext": {"privileged": false}
}}`

func TestRemovedFieldsLeaveNothing(t *testing.T) {
	because(t, "two equal resources must result in equal caches, whatever their earlier specs were")
	t.Parallel()
	namespace := newNamespace(t)
	must(t, shared.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"}}))
	plain, m := newMemcached(t, namespace, "plain", 2), newMemcached(t, namespace, "changed", 2)
	must(t, shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", []byte(allFields))))
	waitReady(t, m, 2, waitTimeout)
	if deployment := deploymentOf(t, m); deployment.Spec.Template.Spec.ServiceAccountName != "cache" || *deployment.Spec.Template.Spec.TerminationGracePeriodSeconds != 10 {
		t.Fatalf("the fields had no effect: %v", deployment.Spec.Template.Spec)
	}

	m.Object["spec"] = plain.Object["spec"]
	must(t, shared.Client.Update(t.Context(), m))
	waitReady(t, m, 2, waitTimeout)

	for _, kind := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}, &policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}} {
		want, got := desiredState(t, kind, plain), desiredState(t, kind, m)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T (-never changed +changed back):\n%s", kind, diff)
		}
	}
}

// desiredState returns the spec of a Memcached's child and its annotations without those of controllers. A placeholder
// replaces the Memcached's name.
func desiredState(t *testing.T, kind client.Object, m *unstructured.Unstructured) map[string]any {
	t.Helper()
	child := kind.DeepCopyObject().(client.Object)
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), child))
	raw, err := json.Marshal(child)
	must(t, err)
	var object map[string]any
	must(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte(`"`+m.GetName()+`"`), []byte(`"NAME"`)), &object))
	annotations := child.GetAnnotations()
	for _, name := range []string{"metacontroller.k8s.io/last-applied-configuration", "deployment.kubernetes.io/revision", "memcached-operator.example.com/parent-generation"} {
		delete(annotations, name)
	}
	return map[string]any{"spec": object["spec"], "annotations": annotations}
}
