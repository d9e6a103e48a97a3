package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// foreignCluster is a cluster in which others change, refuse or hold up what the operator applies.
type foreignCluster struct {
	name, why string
	// probe are the arguments of kubectl that print the effect, also as an error, once the objects of testdata/foreign/NAME.yaml are in force: the
	// API server loads policies some time after their creation. $NAMESPACE is the namespace of the row.
	probe, effect string
	// spec is that of the cache, as YAML. The frame adds rollout.minReadySeconds: 0.
	spec string
	// first is a change before the conditions are awaited, which may replace pods; nil for none.
	first func(*testing.T, *unstructured.Unstructured)
	// want are conditions that the cache gets, and has after each of then.
	want []wantCondition
	// then are what happens afterwards. It must replace no pod. last comes after them, and may.
	then []func(*testing.T, *unstructured.Unstructured)
	last func(*testing.T, *unstructured.Unstructured)
}

// wantCondition is a condition whose message contains a text. One without a status is absent.
type wantCondition struct{ kind, status, reason, text string }

// These are the conditions of a cache that has what its spec desires, and of one in which there is nothing to report.
var (
	allReady = wantCondition{"Ready", "True", "AllReplicasReady", ""}
	noRisk   = wantCondition{kind: "AtRisk"}
)

var foreignClusters = []foreignCluster{
	{
		name:   "mirror",
		why:    "a policy that gives workloads another registry is named with what to set, the cache is ready, nothing loops, an upgrade of the operator replaces no pod, and servers can be added",
		probe:  "create deployment probe --image=memcached --output=jsonpath={.spec.template.spec.containers[0].image} --dry-run=server",
		effect: "registry.corp.example/memcached",
		spec:   "{size: 2, metrics: {enabled: true}, proxy: {}}",
		want: []wantCondition{allReady, {"AtRisk", "True", "ChangedByOthers",
			"image of container memcached is registry.corp.example/" + children.DefaultImage + " instead of " + children.DefaultImage + " (spec.image)"}},
		then: []func(*testing.T, *unstructured.Unstructured){syncsWriteNothing, upgradeOperator, syncsWriteNothing},
		last: setSpec("{size: 3}"), // a move, with its Job
	},
	{
		name:   "mirror-of-pods",
		why:    "a policy that gives pods another registry changes no Deployment, so there is nothing to report, and an upgrade of the operator replaces no pod",
		probe:  "run probe --image=memcached --output=jsonpath={.spec.containers[0].image} --dry-run=server",
		effect: "registry.corp.example/memcached",
		spec:   "{size: 2, metrics: {enabled: true}}",
		want:   []wantCondition{allReady, noRisk},
		then:   []func(*testing.T, *unstructured.Unstructured){syncsWriteNothing, upgradeOperator, syncsWriteNothing},
	},
	{
		name:   "quota",
		why:    "a quota on limits.cpu refuses a pod if one container has no limit, also one of the operator, in servers, proxies and the Job",
		probe:  "run probe --image=memcached --dry-run=server",
		effect: "must specify limits.cpu for: probe",
		spec:   "{size: 3, metrics: {enabled: true}, resources: {limits: {cpu: 1}}, proxy: {resources: {limits: {cpu: 1, memory: 256Mi}}}}",
		first:  decrease,
		want:   []wantCondition{allReady, noRisk},
		then:   []func(*testing.T, *unstructured.Unstructured){syncsWriteNothing, upgradeOperator, syncsWriteNothing},
	},
	{
		name:   "suspended-jobs",
		why:    "a decrease waits for its Job, which a queue has suspended: without a risk, nobody knows why",
		probe:  "create job probe --image=memcached --output=jsonpath={.spec.suspend} --dry-run=server",
		effect: "true",
		spec:   "{size: 3, proxy: {}}",
		first:  startDecrease,
		want:   []wantCondition{{"AtRisk", "True", "JobSuspended", "Job cache-move is suspended"}},
	},
	{
		name:   "mesh",
		why:    "the sidecar of a mesh would run on when the Job has moved all items, so its pods ask for none",
		probe:  "run probe --image=memcached --output=jsonpath={.spec.containers[*].name} --dry-run=server",
		effect: "istio-proxy",
		spec:   "{size: 3, proxy: {}}",
		first:  decrease,
		want:   []wantCondition{allReady, noRisk},
	},
	{
		name:   "mesh+job",
		why:    "a Job that spec puts into the mesh does not end if the sidecar is a normal container, and the risk names it",
		probe:  "run probe --image=memcached --output=jsonpath={.spec.containers[*].name} --dry-run=server",
		effect: "istio-proxy",
		spec:   `{size: 2, proxy: {job: {labels: {sidecar.istio.io/inject: "true"}}}}`,
		first:  copyInMesh,
		want:   []wantCondition{{"AtRisk", "True", "JobNotEnded", "Container istio-proxy of pod cache-move-"}},
	},
	{
		name:   "openshift",
		why:    "restricted-v2 of OpenShift assigns user IDs, and refuses others and sysctls",
		probe:  `run probe --image=memcached --overrides={"spec":{"securityContext":{"runAsUser":11211}}} --dry-run=server`,
		effect: "runAsUser must be in the range of the namespace",
		spec:   "{size: 3, userIDs: Assigned, podSecurityContext: {sysctls: []}, metrics: {enabled: true}, proxy: {}}",
		first:  decrease,
		want:   []wantCondition{allReady, noRisk},
		then:   []func(*testing.T, *unstructured.Unstructured){syncsWriteNothing},
	},
	{
		name:   "autopilot",
		why:    "a minimum of resources is named with what to set, and what runs is ready. Once spec has the minimum, nothing differs, and no pod is replaced",
		probe:  "create deployment probe --image=memcached --output=jsonpath={.spec.template.spec.containers[0].resources.requests.memory} --dry-run=server",
		effect: "52Mi",
		spec:   "{size: 2, metrics: {enabled: true}}",
		want:   []wantCondition{allReady},
		then: []func(*testing.T, *unstructured.Unstructured){
			has(wantCondition{"AtRisk", "True", "ChangedByOthers", "resources.requests.cpu of container exporter is 50m instead of 10m (spec.metrics.resources.requests.cpu); " +
				"resources.requests.memory of container exporter is 52Mi instead of 32Mi (spec.metrics.resources.requests.memory)"}),
			syncsWriteNothing,
			setSpec("{metrics: {resources: {requests: {cpu: 50m, memory: 52Mi}, limits: {memory: 64Mi}}}}"),
			has(noRisk),
		},
	},
	{
		name:   "resized",
		why:    "an autoscaler that resizes pods in place changes no workload. Only when memcached is killed for it, the limit of the pod counts, and the cause is named",
		probe:  "run probe --image=memcached --output=jsonpath={.spec.containers[0].resources.requests.cpu} --dry-run=server",
		effect: "20m",
		spec:   "{size: 2}",
		want:   []wantCondition{allReady},
		then: []func(*testing.T, *unstructured.Unstructured){
			has(noRisk), resizePod, syncsWriteNothing, has(noRisk), killForMemory,
			has(wantCondition{"AtRisk", "True", "OOMKilled", "exceeded its memory limit of 80Mi, but Deployment cache sets 123Mi. A VerticalPodAutoscaler or another client has resized the pod"}),
		},
	},
}

// TestForeignClusters has the real API server evaluate the policies of others.
func TestForeignClusters(t *testing.T) {
	t.Parallel()
	if shared.env == nil {
		t.Skip("NOT TESTED: clusters with policies of others, because real kubelets cannot pull the images of a registry that does not exist")
	}
	for _, row := range foreignClusters {
		t.Run(row.name, func(t *testing.T) {
			because(t, row.why)
			t.Parallel()
			namespace := newNamespaceOf(t, "privileged")
			row.applyObjects(t, namespace)
			m := row.newMemcached(t, namespace)
			if row.first != nil {
				row.first(t, m)
			}
			row.waitConditions(t, m)
			pods := podsByUID(t, namespace)
			for _, then := range row.then {
				then(t, m)
				row.waitConditions(t, m)
				if diff := cmp.Diff(pods, podsByUID(t, namespace)); diff != "" {
					t.Errorf("pods were replaced (-before +after):\n%s", diff)
				}
			}
			if row.last != nil {
				row.last(t, m)
				row.waitConditions(t, m)
			}
		})
	}
}

// applyObjects creates the objects of the row until the test ends, and waits until they are in force.
func (row *foreignCluster) applyObjects(t *testing.T, namespace string) {
	t.Helper()
	objects, _, _ := strings.Cut(row.name, "+") // rows can share them
	content, err := os.ReadFile(filepath.Join("testdata", "foreign", objects+".yaml"))
	must(t, err)
	file := filepath.Join(t.TempDir(), "objects.yaml")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(content), "$NAMESPACE", namespace)), 0o600))
	kubectl(t, "apply", "--namespace", namespace, "--filename", file)
	t.Cleanup(func() {
		if out, err := shared.RunKubectl(context.Background(), "delete", "--namespace", namespace, "--ignore-not-found", "--filename", file); err != nil {
			t.Errorf("delete the objects: %v\n%s", err, out)
		}
	})
	if row.probe == "" {
		return
	}
	args := append([]string{"--namespace", namespace}, strings.Fields(strings.ReplaceAll(row.probe, "$NAMESPACE", namespace))...)
	eventually(t, waitTimeout, fmt.Sprintf("kubectl prints %q", row.effect), func(context.Context) error {
		if out, _ := tryKubectl(t, args...); !strings.Contains(out, row.effect) {
			return fmt.Errorf("it prints %q", out)
		}
		return nil
	})
}

func (row *foreignCluster) newMemcached(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	m := &unstructured.Unstructured{Object: map[string]any{}}
	must(t, yaml.Unmarshal([]byte("spec: "+row.spec), &m.Object))
	must(t, unstructured.SetNestedField(m.Object, int64(0), "spec", "rollout", "minReadySeconds"))
	m.SetGroupVersionKind(memcachedKind)
	m.SetNamespace(namespace)
	m.SetName("cache")
	must(t, shared.Client.Create(t.Context(), m))
	return m
}

// waitConditions waits until the cache has all conditions of the row.
func (row *foreignCluster) waitConditions(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	for _, want := range row.want {
		want.wait(t, m)
	}
}

// wait waits until the cache has the condition for its spec. Some conditions come after a minute.
func (want wantCondition) wait(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	eventually(t, 3*waitTimeout, fmt.Sprintf("the condition %+v", want), func(context.Context) error {
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(m), m); err != nil {
			return err
		}
		got := Condition(m, want.kind)
		seen, _, _ := unstructured.NestedInt64(m.Object, "status", "observedGeneration")
		if seen == m.GetGeneration() && want.status == "" && got == nil {
			return nil
		}
		if seen != m.GetGeneration() || got["status"] != want.status || got["reason"] != want.reason || !strings.Contains(fmt.Sprint(got["message"]), want.text) {
			return fmt.Errorf("the status is %v", m.Object["status"])
		}
		return nil
	})
}

func podsByUID(t *testing.T, namespace string) map[types.UID]string {
	t.Helper()
	var pods corev1.PodList
	must(t, shared.Client.List(t.Context(), &pods, client.InNamespace(namespace)))
	byUID := map[types.UID]string{}
	for _, pod := range pods.Items {
		byUID[pod.UID] = pod.Name
	}
	return byUID
}

// upgradeOperator lets a release of the operator with other default images sync the caches of the namespace.
func upgradeOperator(t *testing.T, m *unstructured.Unstructured) {
	t.Helper()
	newer := server.NewHandler(server.Options{Controllers: parents.Controllers(memcached.Config{
		Image: "memcached:newer", ExporterImage: "prom/memcached-exporter:newer", OperatorImage: "memcached-operator:newer",
	})})
	hook.fail(t, m.GetNamespace(), "sync", func(w http.ResponseWriter, r *http.Request, _ http.Handler) { newer.ServeHTTP(w, r) })
}
