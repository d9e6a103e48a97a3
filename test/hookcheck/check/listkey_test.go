package check

import (
	"testing"
)

// TestKeepsListsWithoutKey checks that list-key ignores the ports of a NetworkPolicy: its rules have no key, so they are replaced.
func TestKeepsListsWithoutKey(t *testing.T) {
	ports := []any{map[string]any{"port": 53.0, "protocol": "TCP"}, map[string]any{"port": 53.0, "protocol": "UDP"}}
	if found := sameKeys(map[string]any{"egress": []any{map[string]any{"ports": ports}}}, "spec"); len(found) > 0 {
		t.Error(found)
	}
	if found := sameKeys(map[string]any{"ports": ports}, "spec"); len(found) != 1 {
		t.Errorf("a Service: %v", found)
	}
}
