package memcached

import (
	"fmt"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/example/memcached-operator/test/sample"
)

// TestChangedByOthers lets a policy change a field of the pod template after each apply. The condition names the field of spec that sets it, and once
// spec has the value of the policy, no child differs.
func TestChangedByOthers(t *testing.T) {
	const defaults = `"metrics":{"enabled":true},"podLabels":{"team":"a"},"tolerations":[{"key":"a"}],"resources":{"limits":{"cpu":"1","memory":"200Mi"}}`
	cases := []struct{ reason, old, new, message, spec string }{
		{"the registry of memcached", `"memcached:`, `"r/memcached:`, "(spec.image)", `"image":"r/memcached:1.6.45-alpine"`},
		{"the registry of the exporter", `"prom/`, `"r/prom/`, "(spec.metrics.image)", `"metrics":{"enabled":true,"image":"r/prom/memcached-exporter:v0.16.0"}`},
		{"the memory of memcached", `"memory":"200Mi"`, `"memory":"512Mi"`, "(spec.resources.limits.memory)", `"resources":{"limits":{"cpu":"1","memory":"512Mi"}}`},
		{"the CPU limit of memcached", `"cpu":"1"`, `"cpu":"2"`, "(spec.resources.limits.cpu)", `"resources":{"limits":{"cpu":"2","memory":"200Mi"}}`},
		{"the CPU of the exporter", `"cpu":"10m"`, `"cpu":"50m"`, "(spec.metrics.resources.requests.cpu)", `"metrics":{"enabled":true,"resources":{"limits":{"memory":"64Mi"},"requests":{"cpu":"50m","memory":"32Mi"}}}`},
		{"the seccomp profile", `"type":"RuntimeDefault"`, `"type":"Unconfined"`, "(spec.podSecurityContext.seccompProfile.type)", `"podSecurityContext":{"seccompProfile":{"type":"Unconfined"}}`},
		{"tolerations", `[{"key":"a"}]`, `[{"key":"b"},{"key":"a"}]`, "(spec.tolerations)", `"tolerations":[{"key":"b"},{"key":"a"}]`},
		{"a label", `"team":"a"`, `"team":"b"`, "(spec.podLabels.team)", `"podLabels":{"team":"b"}`},
	}
	for _, test := range cases {
		memcached := sample.New(2)
		edit := func(spec string) {
			if err := jsonv2.Unmarshal([]byte("{"+spec+"}"), &memcached.Spec); err != nil {
				t.Fatal(err)
			}
		}
		edit(defaults)
		request := settled(memcached)
		onWorkload(test.old, test.new)(&request)
		for _, isSet := range []bool{false, true} {
			if isSet {
				edit(test.spec)
				changed := settled(memcached) // what Metacontroller applies
				onWorkload(test.old, test.new)(&changed)
				request.Children = changed.Children
			}
			response, err := Config{}.sync(request)
			if err != nil {
				t.Fatalf("%s: %v", test.reason, err)
			}
			conditions := fmt.Sprint(response.Status.Conditions)
			if !strings.Contains(conditions, "AllReplicasReady") || !isSet != strings.Contains(conditions, test.message) || isSet && strings.Contains(conditions, "ChangedByOthers") {
				t.Errorf("%s: set in spec: %t, conditions: %s", test.reason, isSet, conditions)
			}
		}
	}
}
