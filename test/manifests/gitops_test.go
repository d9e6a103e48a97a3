package manifests

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// health is what GitOps tools derive from the status of a parent.
type health struct {
	argo    string        // the status of the health check
	kstatus status.Status // for Flux and other tools that wait by the rules of kstatus
}

var (
	healthy     = health{"Healthy", status.CurrentStatus}
	progressing = health{"Progressing", status.InProgressStatus}
	recovering  = health{"Degraded", status.InProgressStatus} // the kubelet, the scheduler or Metacontroller tries again
	failed      = health{"Degraded", status.FailedStatus}
	suspended   = health{"Suspended", status.FailedStatus}
)

// healths maps the reason of Ready and the status of Progressing to the health. The reasons of an Xca are empty.
var healths = map[string]health{
	" ":                              healthy,
	"AllReplicasReady False":         healthy,
	"ScaledToZero False":             healthy,
	"RollingOut True":                progressing,
	"Scaling True":                   progressing,
	"Moving True":                    progressing,
	"AddressPending True":            progressing,
	"Terminating True":               progressing,
	"DeploymentOutdated True":        progressing,
	"NetworkPolicyOutdated True":     progressing,
	"ServiceMissing True":            progressing,
	"IngressMissing True":            progressing,
	"OpenToAll True":                 recovering,
	"ImagePullBackOff True":          recovering,
	"Imagepullfailed True":           recovering,
	"CrashLoopBackOff True":          recovering,
	"OOMKilled True":                 recovering,
	"Unschedulable True":             recovering,
	"VolumeClaimPending True":        recovering,
	"SecretNotMounted True":          recovering,
	"SecretNotReloaded True":         recovering,
	"InvalidSpec False":              failed,
	"ReplicaFailure False":           failed,
	"ProgressDeadlineExceeded False": failed,
	"Paused False":                   suspended,
}

// TestHealth checks the health of a parent with each golden status.
func TestHealth(t *testing.T) {
	scripts, seen, atRisk := healthChecks(t), map[string]bool{}, false
	for _, file := range append(glob(t, "test/testdata/*/sync/*/response.json"), glob(t, "test/testdata/*/finalize/*/response.json")...) {
		parent := goldenParent(t, filepath.Dir(file))
		ready, moving := condition(t, parent, "Ready"), condition(t, parent, "Progressing")
		key := ready.Reason + " " + string(moving.Status)
		seen[key] = true
		want, known := healths[key]
		if !known {
			t.Errorf("%s: the test does not know the health of %q", file, key)
		}
		if got := healthOf(t, scripts, parent); got != want {
			t.Errorf("%s: %q is %v, want %v", file, key, got, want)
		}
		atRisk = atRisk || want == healthy && condition(t, parent, "AtRisk").Status == metav1.ConditionTrue
	}
	if !atRisk {
		t.Error("no golden status of a healthy parent has a risk, which must not change the health")
	}
	for key := range healths {
		if !seen[key] {
			t.Errorf("no golden status has %q", key)
		}
	}
}

// TestHealthBeforeSync checks that no parent is healthy before the hook has seen its latest spec.
func TestHealthBeforeSync(t *testing.T) {
	scripts, known := healthChecks(t), kinds(t)
	for _, file := range []string{
		"test/testdata/memcached/sync/settled", "test/testdata/nginx/sync/settled",
		"test/testdata/customimagedeploy/sync/settled", "test/testdata/xca/sync/settled",
	} {
		parent := goldenParent(t, filepath.Join(root, file))
		if got := healthOf(t, scripts, parent); got != healthy {
			t.Errorf("%s: %v, want %v", file, got, healthy)
		}
		cases := []struct {
			reason string
			change func(parent *unstructured.Unstructured)
			want   health
		}{
			{"its spec has changed", func(parent *unstructured.Unstructured) { parent.SetGeneration(parent.GetGeneration() + 1) }, progressing},
			{"it is new", func(parent *unstructured.Unstructured) { delete(parent.Object, "status") }, progressing},
			{"it is being deleted", func(parent *unstructured.Unstructured) { parent.SetDeletionTimestamp(new(metav1.Now())) },
				health{healthy.argo, status.TerminatingStatus}}, // Argo CD itself reports Progressing
		}
		for _, test := range cases {
			changed := parent.DeepCopy()
			test.change(changed)
			stored, _, problems := kindOf(t, known, changed.Object).admit(t, changed.Object, nil)
			expectNone(t, file+": "+test.reason, problems)
			if got := healthOf(t, scripts, &unstructured.Unstructured{Object: stored}); got != test.want {
				t.Errorf("%s: %s: %v, want %v", file, test.reason, got, test.want)
			}
		}
	}
}

// goldenParent returns the parent of a case with the status of its response, as the API server stores it.
func goldenParent(t *testing.T, dir string) *unstructured.Unstructured {
	t.Helper()
	parent, _, _ := unstructured.NestedMap(readObject(t, filepath.Join(dir, "request.json")), "parent")
	parent["status"] = readObject(t, filepath.Join(dir, "response.json"))["status"]
	object := &unstructured.Unstructured{Object: parent}
	object.SetDeletionTimestamp(nil) // both tools report any object that is being deleted as such
	return object
}

// condition returns a condition of a parent; the zero value if there is none.
func condition(t *testing.T, parent *unstructured.Unstructured, kind string) metav1.Condition {
	t.Helper()
	var typed struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	convert(t, parent.Object, &typed)
	if found := meta.FindStatusCondition(typed.Status.Conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// healthChecks returns the health checks in Lua by <group>_<kind>.
func healthChecks(t *testing.T) map[string]string {
	t.Helper()
	var patch struct {
		Data map[string]string `json:"data"`
	}
	read(t, filepath.Join(root, "manifests/argocd-health.yaml"), &patch)
	scripts := map[string]string{}
	for key, script := range patch.Data {
		scripts[strings.TrimPrefix(key, "resource.customizations.health.")] = script
	}
	return scripts
}

func healthOf(t *testing.T, scripts map[string]string, parent *unstructured.Unstructured) health {
	t.Helper()
	computed, err := status.Compute(parent)
	if err != nil {
		t.Fatal(err)
	}
	kind := parent.GroupVersionKind()
	return health{argo: argoHealth(t, scripts[kind.Group+"_"+kind.Kind], parent.Object), kstatus: computed.Status}
}

// argoHealth runs a health check as Argo CD does: the object is the global obj, and the script may only use the libraries base
// and table.
//
// https://github.com/argoproj/argo-cd/blob/v3.1.0/util/lua/lua.go
func argoHealth(t *testing.T, script string, object map[string]any) string {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	state.SetContext(t.Context())
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(script); err != nil {
		t.Fatal(err)
	}
	result, ok := state.Get(-1).(*lua.LTable)
	if !ok || result.RawGetString("message").String() == "" {
		t.Fatalf("the health check returns %v, want a table with a status and a message", state.Get(-1))
	}
	return result.RawGetString("status").String()
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for name, member := range value {
			table.RawSetString(name, luaValue(state, member))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, element := range value {
			table.Append(luaValue(state, element))
		}
		return table
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	}
	return lua.LNil
}
