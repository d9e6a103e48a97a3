package test

import (
	"os"
	"strings"
	"testing"
)

// TestTroubleshootKnowsEveryReason: whoever looks up why something is degraded finds it, for every reason that a recorded
// answer gives.
func TestTroubleshootKnowsEveryReason(t *testing.T) {
	page, err := os.ReadFile("../manifests/docs/troubleshoot.md")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, f := range syncFixtures(t) {
		answer, err := os.ReadFile(f.responseFile())
		if err != nil {
			t.Fatal(err)
		}
		status, _ := parse(t, answer)["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		for _, condition := range conditions {
			condition := condition.(map[string]any)
			reason := condition["reason"].(string)
			if condition["type"] != "Degraded" || condition["status"] != "True" || given[reason] || strings.HasSuffix(f.folder, "/reason-with-blanks") {
				continue
			}
			given[reason] = true
			if !strings.Contains(string(page), "`"+reason+"`") {
				t.Errorf("%s: Degraded has the reason %s, which manifests/docs/troubleshoot.md does not explain", f.folder, reason)
			}
		}
	}
	if len(given) < 5 {
		t.Errorf("the recorded answers give only the reasons %v", given)
	}
}
