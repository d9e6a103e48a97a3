package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

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
	because(t, "clients that hash by name keep all other keys when a pod is replaced under its old name")
	t.Parallel()
	m := newMemcachedOf(t, newNamespace(t), "cache", 3, map[string]any{"workload": "StatefulSet"})
	want := []string{"cache-0", "cache-1", "cache-2"}
	if diff := cmp.Diff(want, nodes(m)); diff != "" {
		t.Errorf("status.nodes (-want +got):\n%s", diff)
	}
	servers := func() []string {
		list, _, err := unstructured.NestedStringSlice(m.Object, "status", "serverList")
		must(t, err)
		return list
	}
	namespace := m.GetNamespace()
	wantServers := []string{
		"cache-0.cache." + namespace + ".svc:11211", "cache-1.cache." + namespace + ".svc:11211", "cache-2.cache." + namespace + ".svc:11211",
	}
	if diff := cmp.Diff(wantServers, servers()); diff != "" {
		t.Errorf("status.serverList (-want +got):\n%s", diff)
	}
	kubectl(t, "delete", "pod", "--namespace", namespace, "cache-1")
	waitReady(t, m, 3, patience)
	if diff := cmp.Diff(wantServers, servers()); diff != "" {
		t.Errorf("a replaced pod has another place in status.serverList (-want +got):\n%s", diff)
	}
	if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), &appsv1.Deployment{}); !apierrors.IsNotFound(err) {
		t.Errorf("there is a Deployment beside the StatefulSet: %v", err)
	}
}

// everything are the fields that make or change a child.
const everything = `{"spec":{
	"image": "memcached:1.6.39-alpine", "imagePullPolicy": "Always", "imagePullSecrets": [{"name": "registry"}],
	"resources": {"limits": {"memory": "1024Mi", "cpu": "1000m"}, "requests": {"cpu": "0.1"}},
	"cache": {"memoryMB": 100, "maxConnections": 2048, "verbosity": 2, "extraArgs": ["-f", "1.5"]},
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

func TestRemovingAFieldRemovesWhatItMade(t *testing.T) {
	because(t, "a field that leaves something behind makes two equal resources two different caches")
	t.Parallel()
	namespace := newNamespace(t)
	must(t, shared.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cache"}}))
	plain, m := newMemcached(t, namespace, "plain", 2), newMemcached(t, namespace, "changed", 2)
	must(t, shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", []byte(everything))))
	waitReady(t, m, 2, patience)
	if deployment := deploymentOf(t, m); deployment.Spec.Template.Spec.ServiceAccountName != "cache" || *deployment.Spec.Template.Spec.TerminationGracePeriodSeconds != 10 {
		t.Fatalf("the fields have made nothing: %v", deployment.Spec.Template.Spec)
	}

	m.Object["spec"] = plain.Object["spec"]
	must(t, shared.Client.Update(t.Context(), m))
	waitReady(t, m, 2, patience)

	for _, kind := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}, &policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}} {
		want, got := asked(t, kind, plain), asked(t, kind, m)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T (-never changed +changed back):\n%s", kind, diff)
		}
	}
}

// asked returns what was asked for of the child of a Memcached: its spec, and its annotations without those that
// controllers keep their books in. Where it says the Memcached's name, any other may stand.
func asked(t *testing.T, kind client.Object, m *unstructured.Unstructured) map[string]any {
	t.Helper()
	child := kind.DeepCopyObject().(client.Object)
	must(t, shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), child))
	raw, err := json.Marshal(child)
	must(t, err)
	var object map[string]any
	must(t, json.Unmarshal(bytes.ReplaceAll(raw, []byte(`"`+m.GetName()+`"`), []byte(`"its-name"`)), &object))
	annotations := child.GetAnnotations()
	for _, books := range []string{"metacontroller.k8s.io/last-applied-configuration", "deployment.kubernetes.io/revision", "memcached-operator.example.com/parent-generation"} {
		delete(annotations, books)
	}
	return map[string]any{"spec": object["spec"], "annotations": annotations}
}

func TestTurnedOff(t *testing.T) {
	because(t, "a budget or a policy that is turned off must not stay and go on refusing")
	t.Parallel()
	m := newMemcached(t, newNamespace(t), "cache", 2)
	key := client.ObjectKeyFromObject(m)
	must(t, shared.Client.Get(t.Context(), key, &policyv1.PodDisruptionBudget{}))
	must(t, shared.Client.Get(t.Context(), key, &networkingv1.NetworkPolicy{}))
	off := `{"spec":{"podDisruptionBudget":{"enabled":false},"networkPolicy":{"enabled":false}}}`
	must(t, shared.Client.Patch(t.Context(), m, client.RawPatch("application/merge-patch+json", []byte(off))))
	eventually(t, patience, "both are gone", func(ctx context.Context) error {
		for _, child := range []client.Object{&policyv1.PodDisruptionBudget{}, &networkingv1.NetworkPolicy{}} {
			if err := shared.Client.Get(ctx, key, child); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%T: %w", child, errors.Join(err, errors.New("it is still there")))
			}
		}
		return nil
	})
}

func TestScaledInSteps(t *testing.T) {
	because(t, "each pod more or less moves keys; all at once, the database behind the cache takes the load")
	t.Parallel()
	const interval = 3 * time.Second
	m := newMemcachedOf(t, newNamespace(t), "cache", 1, map[string]any{
		"scaling": map[string]any{"maxStep": int64(1), "stepIntervalSeconds": int64(interval.Seconds())},
	})
	seen, since := int32(1), time.Now()
	var first time.Time
	setSize(t, m, 4)
	eventually(t, patience, "the size is reached, step by step", func(ctx context.Context) error {
		d := &appsv1.Deployment{}
		if err := shared.Client.Get(ctx, client.ObjectKeyFromObject(m), d); err != nil {
			return err
		}
		replicas := *d.Spec.Replicas
		if replicas > seen+1 {
			t.Errorf("from %d to %d replicas in one step", seen, replicas)
		}
		if replicas != seen {
			// The time of a step is kept in whole seconds.
			if !first.IsZero() && time.Since(since) < interval-time.Second {
				t.Errorf("the step to %d came %s after the last", replicas, time.Since(since))
			}
			seen, since = replicas, time.Now()
			if first.IsZero() {
				first = since
			}
		}
		must(t, shared.Client.Get(ctx, client.ObjectKeyFromObject(m), m))
		if ready := Condition(m, "Ready"); seen < 4 && m.GetGeneration() == statusGeneration(m) && ready["status"] == "True" {
			t.Errorf("ready with %d of 4 replicas: %v", seen, ready)
		}
		if replicas != 4 {
			return fmt.Errorf("%d replicas: %v", replicas, Condition(m, "Progressing")["message"])
		}
		return nil
	})
	waitReady(t, m, 4, patience)
}

func statusGeneration(m *unstructured.Unstructured) int64 {
	generation, _, _ := unstructured.NestedInt64(m.Object, "status", "observedGeneration")
	return generation
}
