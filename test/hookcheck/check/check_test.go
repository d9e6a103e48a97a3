package check

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// child returns a child of a response; the Deployment is the first and the Service the second one.
func child(answer map[string]any, i int) map[string]any {
	if children := list(answer["children"]); len(children) > i {
		return object(children[i])
	}
	return map[string]any{}
}

func add(answer map[string]any, child any) {
	answer["children"] = append(list(answer["children"]), child)
}

func pod(spec map[string]any) map[string]any {
	spec["containers"] = []any{map[string]any{"name": "a", "image": "a:1"}}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": spec}
}

// broken has hooks that only one check finds.
var broken = []struct {
	check, defect string
	// change changes the response to a sync; hook replaces the hook.
	change func(request, answer map[string]any)
	hook   thing
}{
	{check: "responds", defect: "an exception for any request", hook: func(string, map[string]any) (map[string]any, error) {
		return nil, status{Response{Code: 500, Body: []byte("KeyError: 'x'")}}
	}},
	{check: "retry-after", defect: "429 without Retry-After while it handles another request", hook: busy()},
	{check: "response-fields", defect: "a member in the wrong case", change: func(_, answer map[string]any) { answer["resyncafterseconds"] = 5 }},
	{check: "child-null", defect: "a nil pointer for a child that is disabled", change: func(_, answer map[string]any) { add(answer, nil) }},
	{check: "child-identity", defect: "generateName", change: func(_, answer map[string]any) {
		add(answer, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"generateName": "a-"}})
	}},
	{check: "child-listed", defect: "a ConfigMap, which childResources do not list", change: func(_, answer map[string]any) {
		add(answer, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}})
	}},
	{check: "child-twice", defect: "the same Service twice", change: func(_, answer map[string]any) { add(answer, clone(child(answer, 1))) }},
	{check: "child-namespace", defect: "a fixed namespace", change: func(_, answer map[string]any) {
		object(child(answer, 1)["metadata"])["namespace"] = "kube-system"
	}},
	{check: "finalized-in-sync", defect: "finalized in each response", change: func(_, answer map[string]any) { answer["finalized"] = true }},
	{check: "resync-delay", defect: "a resync after 100 ms", change: func(_, answer map[string]any) { answer["resyncAfterSeconds"] = 0.1 }},
	{check: "same-response", defect: "a global variable that parallel requests share", hook: shared()},
	{check: "ignored-fields", defect: "the resourceVersion of the parent in an annotation", change: func(request, answer map[string]any) {
		object(child(answer, 0)["metadata"])["annotations"] = map[string]any{"seen": at(request, "parent", "metadata", "resourceVersion")}
	}},
	{check: "fail-closed", defect: "a group that is missing reads as an empty one", change: nil, hook: func(hook string, request map[string]any) (map[string]any, error) {
		if children := object(request["children"]); hook != "customize" && at(children, "Pod.v1") == nil && children != nil {
			children["Pod.v1"] = map[string]any{}
			answer, err := good(hook, request)
			if err == nil {
				answer["children"] = list(answer["children"])[:min(1, len(list(answer["children"])))]
			}
			return answer, err
		}
		return good(hook, request)
	}},
	{check: "hot-loop", defect: "a port of 0, which the API server replaces, as Go encodes an unset IntOrString (GoogleCloudPlatform/metacontroller#76)", change: func(_, answer map[string]any) {
		object(list(at(child(answer, 1), "spec", "ports"))[0])["targetPort"] = 0
	}},
	{check: "list-default", defect: "a fieldRef without apiVersion in a downwardAPI volume (metacontroller#443)", change: func(_, answer map[string]any) {
		add(answer, pod(map[string]any{"volumes": []any{map[string]any{"name": "info", "downwardAPI": map[string]any{"items": []any{
			map[string]any{"path": "pod_name", "fieldRef": map[string]any{"fieldPath": "metadata.name"}},
		}}}}}))
	}},
	{check: "status-settles", defect: "the time of the sync in the status", change: func(_, answer map[string]any) {
		answer["status"] = map[string]any{"phase": clock()}
	}},
	{check: "status-schema", defect: "a field that the CRD does not have", change: func(_, answer map[string]any) {
		object(answer["status"])["ready"] = true
	}},
	{check: "finalize-ends", defect: "finalize returns the children", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if hook == "finalize" && err == nil {
			whole, _ := good("sync", request)
			answer["children"] = whole["children"]
		}
		return answer, err
	}},
	{check: "related-rules", defect: "a rule that selects all pods", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if rules := list(answer["relatedResources"]); len(rules) > 0 {
			delete(object(rules[0]), "labelSelector")
		}
		return answer, err
	}},
	{check: "related-stable", defect: "a rule with the phase in the status", hook: func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if rules := list(answer["relatedResources"]); len(rules) > 0 {
			object(at(rules[0], "labelSelector", "matchLabels"))["phase"] = text(request, "parent", "status", "phase")
		}
		return answer, err
	}},
	{check: "thousand-objects", defect: "six seconds for a thousand objects", hook: func(hook string, request map[string]any) (map[string]any, error) {
		if objectsIn(request) > 500 {
			answer, err := good(hook, request)
			return nil, errors.Join(err, in(6*time.Second, answer))
		}
		return good(hook, request)
	}},
}

// clock returns the number of times that the test has waited.
var ticks atomic.Int64

func clock() string { return strconv.FormatInt(ticks.Load(), 10) }

// in returns an error with a response after some time.
func in(took time.Duration, answer map[string]any) error {
	return status{Response{Code: http.StatusOK, Body: encode(answer), Took: took}}
}

// shared returns a hook that responds differently while it handles another request.
func shared() thing {
	return counted(1, func(answer map[string]any) error {
		object(answer["status"])["phase"] = "changed"
		return nil
	})
}

// busy returns a hook that refuses requests while it handles eight others.
func busy() thing {
	return counted(8, func(map[string]any) error { return status{Response{Code: http.StatusTooManyRequests}} })
}

// counted returns the good hook with a change for requests above a number at the same time.
func counted(most int64, change func(answer map[string]any) error) thing {
	var running atomic.Int64
	return func(hook string, request map[string]any) (map[string]any, error) {
		defer running.Add(-1)
		above := running.Add(1) > most
		time.Sleep(time.Millisecond) // so that parallel requests overlap
		answer, err := good(hook, request)
		if above && err == nil && hook == "sync" {
			err = change(answer)
		}
		return answer, err
	}
}

// TestChecks checks that each check finds its defect, that no other one does, and that a good hook has no findings.
func TestChecks(t *testing.T) {
	if found := subject(t, good).check(t, controllerYAML); len(found) > 0 {
		t.Errorf("the good hook has findings: %v", found)
	}
	tested := map[string]bool{"child-owner": true} // TestChildOwner
	for _, b := range broken {
		tested[b.check] = true
		hook := b.hook
		if hook == nil {
			hook = func(name string, request map[string]any) (map[string]any, error) {
				answer, err := good(name, request)
				if name == "sync" && err == nil {
					b.change(request, answer)
				}
				return answer, err
			}
		}
		s := subject(t, hook)
		s.Wait = func() { ticks.Add(1) }
		found := s.check(t, controllerYAML)
		if len(found) == 0 || slices.ContainsFunc(found, func(f Finding) bool { return f.Check != b.check }) {
			t.Errorf("%s: %s: findings %v", b.check, b.defect, found)
		}
	}
	for _, c := range Checks {
		if !tested[c.ID] {
			t.Errorf("no broken hook for %s: %v", c.ID, slices.Sorted(maps.Keys(tested)))
		}
	}
}

func TestChildOwner(t *testing.T) {
	found := subject(t, good).check(t, strings.Replace(controllerYAML, "generateSelector: true", "", 1))
	if len(found) != 1 || found[0].Check != "child-owner" {
		t.Errorf("neither spec.selector nor generateSelector: findings %v", found)
	}
}

// TestVersion checks that requests have the keys of the hook version, and that rules may then select objects of other namespaces.
func TestVersion(t *testing.T) {
	for _, test := range []struct {
		version, key string
		findings     []string
	}{{"v1", "a", []string{"related-rules"}}, {"v2", "default/a", nil}} {
		keys := map[string]bool{}
		var mutex sync.Mutex
		found := subject(t, func(hook string, request map[string]any) (map[string]any, error) {
			mutex.Lock()
			for key := range object(at(request, "children", "Deployment.apps/v1")) {
				keys[key] = true
			}
			mutex.Unlock()
			answer, err := good(hook, request)
			if rules := list(answer["relatedResources"]); len(rules) > 0 {
				object(rules[0])["namespace"] = "other"
			}
			return answer, err
		}).check(t, strings.Replace(controllerYAML, "hooks: {sync: {}, finalize: {}, customize: {}}",
			fmt.Sprintf("hooks: {sync: {version: %[1]s}, finalize: {version: %[1]s}, customize: {version: %[1]s}}", test.version), 1))
		var checks []string
		for _, f := range found {
			checks = append(checks, f.Check)
		}
		if !keys[test.key] || !slices.Equal(checks, test.findings) {
			t.Errorf("%s: keys %v, want %s; findings %v, want %s", test.version, slices.Sorted(maps.Keys(keys)), test.key, found, test.findings)
		}
	}
}

func TestMemory(t *testing.T) {
	s := subject(t, good)
	var peak atomic.Int64
	s.Peak = func() int64 { return peak.Add(1 << 30) }
	for _, f := range s.check(t, controllerYAML) {
		if f.Check != "thousand-objects" || !strings.Contains(f.Message, "needs 1024 MiB") {
			t.Errorf("finding %v", f)
		}
	}
	if peak.Load() == 0 {
		t.Error("the memory of the hook is not measured")
	}
}
