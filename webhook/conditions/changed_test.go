package conditions

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/observed"
)

const appliedTemplate = `{"template":{"metadata":{"annotations":{"memcached-operator.example.com/config":"c"},"labels":{"team":"a"}},"spec":{` +
	`"containers":[{"args":["-m","64"],"image":"memcached:1","name":"memcached","resources":{"limits":{"memory":"123Mi"}},` +
	`"securityContext":{"privileged":false}},{"image":"exporter:1","name":"exporter"}],` +
	`"securityContext":{"seccompProfile":{"type":"RuntimeDefault"}},"tolerations":[{"key":"k"}],"volumes":[{"emptyDir":{},"name":"v"}]}}}`

// TestChangedByOthers: a workload that runs what the operator wants is ready, and nothing else is.
func TestChangedByOthers(t *testing.T) {
	const start, exclude = "An admission webhook or another client has changed Deployment x since it was applied: ", " Exclude the Deployment from the policy that changes it."
	const set = " Set the fields of spec to these values, or exclude the Deployment from the policy that changes it."
	cases := []struct {
		reason, old, new string
		risk, pending    string
	}{
		{"nothing has changed", "", "", "", ""},
		{"others have added what the operator does not set", `"name":"exporter"`, `"name":"exporter","env":[{"name":"E"}]`, "", ""},
		{"an image", `"memcached:1"`, `"r/memcached:1"`, "image of container memcached is r/memcached:1 instead of memcached:1 (spec.image)." + set, ""},
		{"an image that spec cannot set", `"exporter:1"`, `"r/exporter:1"`, "image of container exporter is r/exporter:1 instead of exporter:1 (no field of spec sets it)." + exclude, ""},
		{"a limit", `"123Mi"`, `"512Mi"`, "resources.limits.memory of container memcached is 512Mi instead of 123Mi (spec.resources.limits.memory)." + set, ""},
		{"a limit is removed", `"memory":"123Mi"`, ``, "resources.limits.memory of container memcached is missing instead of 123Mi (spec.resources.limits.memory)." + set, ""},
		{"the seccomp profile", `"RuntimeDefault"`, `"Unconfined"`, "spec.securityContext.seccompProfile.type is Unconfined instead of RuntimeDefault (no field of spec sets it)." + exclude, ""},
		{"tolerations", `[{"key":"k"}]`, `[{"key":"k"},{"key":"m"}]`, `spec.tolerations is [{"key":"k"},{"key":"m"}] instead of [{"key":"k"}] (no field of spec sets it).` + exclude, ""},
		{"a label", `"team":"a"`, `"team":"b"`, "metadata.labels.team is b instead of a (no field of spec sets it)." + exclude, ""},
		{"the arguments of memcached", `"64"`, `"32"`, "", `args of container memcached is ["-m","32"] instead of ["-m","64"] (no field of spec sets it).` + exclude},
		{"a container is removed", `,{"image":"exporter:1","name":"exporter"}`, ``, "", ` of container exporter is missing instead of {"image":"exporter:1","name":"exporter"} (no field of spec sets it).` + exclude},
		{"a volume", `"emptyDir":{}`, `"hostPath":{}`, "", "spec.volumes.v.emptyDir is missing instead of {} (no field of spec sets it)." + exclude},
		{"the configuration of the operator", `config":"c"`, `config":"d"`, "", "metadata.annotations.memcached-operator.example.com/config is d instead of c (no field of spec sets it)." + exclude},
		{"a large value", `"exporter:1"`, `"` + strings.Repeat("x", 100) + `"`, "image of container exporter is " + strings.Repeat("x", 80) + "… instead of exporter:1 (no field of spec sets it)." + exclude, ""},
	}
	specField := func(child, path string) string {
		rest, found := strings.CutPrefix(path, "spec.containers.memcached.")
		if child == "x" && found && !strings.HasPrefix(rest, "args") {
			return "spec." + rest
		}
		return ""
	}
	for _, test := range cases {
		o := settled(t)
		deployment := desiredChild(t, `{"name":"x"}`, appliedTemplate)
		deployment.SetKind("Deployment")
		o.Children, o.SpecField, o.Rollout = []runtime.Object{deployment}, specField, RolloutOf(o.Workload, 3, testParent, o.Pods)
		o.Child = func(runtime.Object) any {
			live := strings.Replace(appliedTemplate, test.old, test.new, 1)
			return &observed.Child{Spec: []byte(strings.Replace(live, `{,`, `{`, 1)), ChildMeta: observed.ChildMeta{Annotations: map[string]string{
				observed.LastAppliedAnnotation: `{"spec":` + appliedTemplate + `}`,
			}}}
		}
		for _, text := range []*string{&test.risk, &test.pending} {
			if *text != "" {
				*text = start + *text
			}
		}
		assessment, err := Assess(o.Input)
		if err != nil {
			t.Fatal(err)
		}
		conditions := assessment.Conditions()
		if got := message(conditions, "AtRisk"); got != test.risk {
			t.Errorf("%s: AtRisk is %q, want %q", test.reason, got, test.risk)
		}
		if got := message(conditions, "Degraded"); test.pending != "" && got != test.pending {
			t.Errorf("%s: Degraded is %q, want %q", test.reason, got, test.pending)
		}
		if isReady := strings.Contains(fmt.Sprint(conditions), "AllReplicasReady"); isReady != (test.pending == "") {
			t.Errorf("%s: ready is %t", test.reason, isReady)
		}
	}
}

// message returns the message of a condition; "" if there is no such condition.
func message(conditions []metav1.Condition, kind string) string {
	for _, condition := range conditions {
		if condition.Type == kind {
			return condition.Message
		}
	}
	return ""
}

// TestChangedTextCounts names as many fields as a message has room for.
func TestChangedTextCounts(t *testing.T) {
	live := strings.NewReplacer(`:1"`, `:9"`, `"-m"`, `"-c"`, "123Mi", "1Mi", "false", "true", "RuntimeDefault", "Unconfined", `"team":"a"`, `"team":"b"`).Replace(appliedTemplate)
	child := &observed.Child{Spec: []byte(live), ChildMeta: observed.ChildMeta{Annotations: map[string]string{observed.LastAppliedAnnotation: `{"spec":` + appliedTemplate + `}`}}}
	deployment := desiredChild(t, `{"name":"x"}`, appliedTemplate)
	state, err := compareChild(deployment, child, nil)
	if err != nil || state.pending == nil || !strings.Contains(state.pending.Message, "; further changes: 3. Exclude") {
		t.Errorf("got %+v, %v, want four changes, and the number of the others", state.pending, err)
	}
}
