package golden

import (
	"os"
	"strings"
	"testing"
)

// TestTroubleshootingHasEveryReason checks that the page explains every reason of Degraded in the responses.
func TestTroubleshootingHasEveryReason(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../manifests/docs/troubleshoot.md")
	if err != nil {
		t.Fatal(err)
	}
	handler := newHandler()
	found := map[string]bool{}
	for _, f := range syncFixtures(t) {
		status, _ := parse(t, mustPost(t, handler, f.url(), f.request))["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		for _, condition := range conditions {
			condition := condition.(map[string]any)
			reason := condition["reason"].(string)
			if condition["type"] != "Degraded" || condition["status"] != "True" || found[reason] || strings.HasSuffix(f.name, "/reason-with-blanks") {
				continue
			}
			found[reason] = true
			if !strings.Contains(string(page), "`"+reason+"`") {
				t.Errorf("%s: manifests/docs/troubleshoot.md does not explain the reason %s of Degraded", f.name, reason)
			}
		}
	}
	if len(found) < 5 {
		t.Errorf("the responses have only the reasons %v, want at least 5", found)
	}
}
