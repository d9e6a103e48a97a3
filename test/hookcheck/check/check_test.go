package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestChecks checks that each check finds its defect, that no other one does, and that a good hook has no findings.
func TestChecks(t *testing.T) {
	if found := subject(t, good).check(t, controllerYAML); len(found) > 0 {
		t.Errorf("the good hook has findings: %v", found)
	}
	tested := map[string]bool{}
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
		s := subject(t, hook, b.yaml...)
		s.Wait = func() { ticks.Add(1) }
		if b.check == limits.ID {
			s.Limits.Bytes = 1 << 20
		}
		found := s.check(t, controllerYAML, b.yaml...)
		if !slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Message, b.also) }) || slices.ContainsFunc(found, func(f Finding) bool { return f.Check != b.check }) {
			t.Errorf("%s: %s: findings %.1000s, want %q", b.check, b.defect, fmt.Sprint(found), b.also)
		}
	}
	for _, c := range Checks {
		if !tested[c.ID] {
			t.Errorf("no broken hook for %s: %v", c.ID, slices.Sorted(maps.Keys(tested)))
		}
	}
}

// TestNoFalseAlarm has hooks with which Metacontroller works.
func TestNoFalseAlarm(t *testing.T) {
	var start int64 // of a test
	for _, test := range []struct {
		reason string
		yaml   []string
		change func(request, answer map[string]any)
	}{
		{"a CRD that stores unknown fields needs no schema of the status", []string{"        properties:\n          metadata", "        x-kubernetes-preserve-unknown-fields: true\n        properties:\n          metadata",
			"\n          status:\n            type: object\n            properties:\n              observedGeneration: {type: integer}\n              replicas: {type: integer}\n              phase: {type: string}", ""}, nothing},
		{"a time limit that ends while the checks run", nil, func(_, answer map[string]any) {
			object(answer["status"])["phase"] = map[bool]string{true: "Late", false: "New"}[ticks.Load() > start]
		}},
		{"an observed child as it is, of a kind that is never updated", []string{"deployments, updateStrategy: {method: InPlace}", "deployments, updateStrategy: {method: OnDelete}"}, func(request, answer map[string]any) {
			if observed := at(request, "children", "Deployment.apps/v1", "a"); text(observed, "metadata", "name") == "a" {
				list(answer["children"])[0] = clone(observed)
			}
		}},
		{"a fieldRef without apiVersion, which Metacontroller has merged since 3.0.1, and a resourceFieldRef, which has none", nil, func(_, answer map[string]any) {
			volume := map[string]any{"name": "info", "downwardAPI": map[string]any{"items": []any{map[string]any{"path": "a", "fieldRef": map[string]any{"fieldPath": "metadata.name"}},
				map[string]any{"path": "b", "resourceFieldRef": map[string]any{"containerName": "a", "resource": "limits.cpu", "divisor": "0"}}}}}
			object(at(child(answer, 0), "spec", "template", "spec"))["volumes"] = []any{volume}
		}},
	} {
		s := subject(t, func(hook string, request map[string]any) (map[string]any, error) {
			answer, err := good(hook, request)
			if hook == "sync" && err == nil {
				test.change(request, answer)
			}
			return answer, err
		}, test.yaml...)
		start, s.Wait = ticks.Load(), func() { ticks.Add(1) }
		if found := s.check(t, controllerYAML, test.yaml...); len(found) > 0 {
			t.Errorf("%s: findings %v", test.reason, found)
		}
	}
}

// TestEnds checks that a request that ends the hook does not hide the others: hookcheck waits until the hook runs again, or says what
// it has not tried.
func TestEnds(t *testing.T) {
	for _, test := range []struct {
		restarts bool
		want     []string
	}{
		{true, []string{"sync, the body is null: the hook no longer responds", "sync, cut off: the hook no longer responds"}},
		{false, []string{"customize, the body is null: the hook no longer responds", "more broken requests were not tried", "finalize: not tried"}},
	} {
		s := subject(t, good)
		healthy, ended := s.Call, false
		s.Call = func(hook string, body []byte, etag string) Response {
			if ended = ended || !json.Valid(body) || string(body) == "null"; ended {
				return Response{Err: errors.New("connection refused")}
			}
			return healthy(hook, body, etag)
		}
		s.Wait = func() { ended = ended && !test.restarts }
		cases, err := s.FromSample(decode(t, controllerYAML), decode(t, sampleYAML), nil)
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, f := range s.Run([]Check{failClosed}, cases) {
			messages = append(messages, f.Message)
		}
		for _, want := range test.want {
			if !strings.Contains(strings.Join(messages, "\n"), want) {
				t.Errorf("restarts %t: no %q in %.2000q", test.restarts, want, messages)
			}
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
