package walk

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/example/memcached-operator/test/internal/reasons"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// check compares the response and its writes with what the hook observed.
func (m *metacontroller) check(v *observation) {
	before, after, spec := decoded[v1alpha1.MemcachedStatus](v.parent.status), statusOf(m.response), decoded[v1alpha1.MemcachedSpec](v.parent.spec)
	must(after.ObservedGeneration == v.parent.generation, "status has the generation that the hook observed, %d: %d", v.parent.generation, after.ObservedGeneration)
	checkConditions(before.Conditions, after.Conditions, v.parent.generation)
	if meta.IsStatusConditionTrue(after.Conditions, "Ready") {
		must(!m.wrote("create", "update"), "a Memcached is Ready only if its children match the desired state: %v", m.writes)
		must(!m.wrote("restore") || meta.IsStatusConditionTrue(after.Conditions, "AtRisk"), "what others have changed in a Memcached that is Ready is a risk: %v", m.writes)
		m.checkReady(v, &spec)
	}
	m.mustReleaseFormer()
	if available := meta.FindStatusCondition(after.Conditions, "Available"); after.Proxy != nil {
		runs, serves := servers(v, moves.RecordedRoutes(after.Proxy).Serving())
		must((runs || available.Status != "True") && (!serves || available.Reason != "NoReplicaReady"), "a Memcached is Available if a server that the proxies use runs, also while it is being deleted: %v of %q", available, v.podNames)
	}
	if after.Proxy != nil && after.Proxy.Move != nil {
		move := after.Proxy.Move
		must(move.Phase != v1alpha1.MoveWaiting || move.Until == nil, "no time ends what a move waits for: %v", move)
	}
	if risk := meta.FindStatusCondition(after.Conditions, "AtRisk"); risk != nil {
		m.endsSoon = m.endsSoon || risk.Reason == "GraceTooShort"
	}
	must(!invalid(after) || !m.wrote("create", "delete"), "an invalid spec creates and deletes nothing: %v", m.writes)
}

// wrote reports whether the sync has one of these kinds of writes.
func (m *metacontroller) wrote(kinds ...string) bool {
	return slices.ContainsFunc(m.writes, func(write string) bool {
		kind, _, _ := strings.Cut(write, " ")
		return slices.Contains(kinds, kind)
	})
}

func checkConditions(before, after []metav1.Condition, generation int64) {
	err := validation.ValidateConditions(after, nil)
	must(err == nil, "the API server accepts the conditions: %v", err)
	for _, condition := range after {
		last := cmp.Or(meta.FindStatusCondition(before, condition.Type), &condition)
		must(last.Status != condition.Status || last.LastTransitionTime.Equal(&condition.LastTransitionTime), "lastTransitionTime changes only with the status: %v, %v", last, condition)
		must(condition.ObservedGeneration == generation, "conditions have the generation %d that the hook observed: %v", generation, condition)
		must(len([]rune(condition.Message)) <= 1000, "messages are short: %v", condition)
		must(reasons.IsDocumented(condition), "reasons are documented for the types and statuses of conditions: %v", condition)
	}
	degraded := meta.IsStatusConditionTrue(after, "Degraded")
	must(!degraded || !meta.IsStatusConditionTrue(after, "Ready"), "Ready and Degraded are not both True: %v", after)
}

// servers reports whether memcached runs in a pod of some servers, and whether one serves on: its node is not lost, and if it is being deleted, it
// holds and is none of a deleted Memcached.
func servers(v *observation, of moves.Pool) (runs, serves bool) {
	for _, raw := range v.pods {
		p := pod{Pod: decoded[corev1.Pod](raw)}
		ordinal, err := strconv.ParseInt(strings.TrimPrefix(p.Name, name+"-"), 10, 32)
		if err != nil || !of.Has(int32(ordinal)) || !p.serves() {
			continue
		}
		holds := len(p.Status.InitContainerStatuses) > 0 && !p.CreationTimestamp.Time.Before(v.parent.created)
		runs, serves = true, serves || p.Status.Conditions[0].Status == "True" && (p.DeletionTimestamp == nil || holds)
	}
	return runs, serves
}

func (m *metacontroller) checkReady(v *observation, spec *v1alpha1.MemcachedSpec) {
	workload, size := workloadIn(v.children), int64(*spec.Size)
	must(workload.number("spec", "updateStrategy", "rollingUpdate", "partition") == 0, "a Memcached is Ready only if no pod keeps its template")
	for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
		must(workload.number("status", field) == size, "a Memcached is Ready only with all %d %s: %v", size, field, workload.Object["status"])
	}
	ready := 0
	for _, raw := range v.pods {
		p := decoded[corev1.Pod](raw)
		former := spec.Proxy == nil && p.Labels["app"] == "memcached-proxy" && (p.DeletionTimestamp == nil || !p.CreationTimestamp.Time.Before(v.parent.created)) // not of a deleted Memcached
		must(!former, "a Memcached is Ready only if no proxy runs that spec no longer has: %s", p.Name)
		if p.Labels["app"] == "memcached" && p.DeletionTimestamp == nil && p.Status.Conditions[0].Status == "True" {
			ready++
		}
	}
	must(ready >= int(size), "a Memcached is Ready only if all %d pods are ready: %d", size, ready)
}

func invalid(status v1alpha1.MemcachedStatus) bool {
	ready := meta.FindStatusCondition(status.Conditions, "Ready")
	return ready != nil && ready.Reason == "InvalidSpec"
}

// workloadIn returns the Deployment or StatefulSet of the servers.
func workloadIn(children []*object) *object {
	for _, o := range children {
		if o.GetName() == name && o.Object["spec"].(map[string]any)["template"] != nil {
			return o
		}
	}
	return &object{Unstructured: &unstructured.Unstructured{}}
}

func statusOf(response []byte) v1alpha1.MemcachedStatus {
	return decoded[struct{ Status v1alpha1.MemcachedStatus }](response).Status
}

func decoded[T any](text []byte) T {
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		fail("decoding %.300s: %v", text, err)
	}
	return value
}
