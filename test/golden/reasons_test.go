package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/internal/reasons"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/parents"
)

// reasonsPage is generated from the documentations of all reasons.
const reasonsPage = "../../manifests/docs/reasons.md"

const reasonsHead = `# Reasons of conditions

<!-- Generated from the reasons in webhook/ by go test ./test/golden -run TestReasonsPage -update. -->

The STATUS column of ` + "`kubectl get`" + ` shows the reason of ` + "`Ready`" + `. The message of the condition contains the details: run ` + "`kubectl describe`" + `.
[What each condition means](conditions.md). [Troubleshooting](troubleshoot.md) covers what the conditions do not report.

Each reason is listed under the first condition that uses it.
`

// sections are the conditions in the order of the page.
var sections = []struct{ kind, text string }{
	{"Degraded", "Clients are affected, or a change is stuck. While `Available` is True, other pods serve clients: a rollout that cannot progress does\nnot delete them."},
	{"AtRisk", "Clients are not affected yet, but a problem is likely. `OOMKilled` is also a reason of `AtRisk`."},
	{"Progressing", "The resource is waiting for its pods or other children."},
	{"Ready", ""},
	{"Available", ""},
	{"SecretsCurrent", "A `Memcached` has this condition if it uses TLS or ASCII passwords."},
	{"MetricsReady", "A `Memcached` has this condition with `spec.metrics.enabled`."},
}

// TestReasonsPage compares manifests/docs/reasons.md with the documentations. The flag -update writes the page.
func TestReasonsPage(t *testing.T) {
	t.Parallel()
	page, left := strings.Builder{}, documentations()
	page.WriteString(reasonsHead)
	for _, section := range sections {
		fmt.Fprintf(&page, "\n## %s\n\n", section.kind)
		if section.text != "" {
			page.WriteString(section.text + "\n\n")
		}
		page.WriteString("| reason | kind | conditions | meaning | what to do |\n|---|---|---|---|---|\n")
		left = slices.DeleteFunc(left, func(reason conditions.Documentation) bool {
			listed := reason.Uses[0].Type == section.kind
			if listed {
				page.WriteString(row(reason))
			}
			return listed
		})
	}
	for _, reason := range left {
		t.Errorf("no section of the page has the condition %s of the reason %s", reason.Uses[0].Type, reason.ID)
	}
	if *update {
		if err := os.WriteFile(reasonsPage, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(reasonsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), page.String()); diff != "" {
		t.Errorf("the page is not up to date: run this test with -update (-page +want):\n%s", diff)
	}
}

// documentations returns the documentations of all reasons in the order of the page.
func documentations() []conditions.Documentation {
	var all []conditions.Documentation
	for _, reason := range parents.Reasons() {
		all = append(all, reason.Documentation())
	}
	slices.SortFunc(all, func(a, b conditions.Documentation) int { return strings.Compare(sortKey(a), sortKey(b)) })
	return all
}

// sortKey sorts by status, so that a condition that is False for a healthy resource is last, and classes behind other reasons.
func sortKey(reason conditions.Documentation) string {
	order := map[metav1.ConditionStatus]string{metav1.ConditionTrue: "1", metav1.ConditionFalse: "2", metav1.ConditionUnknown: "3"}
	return order[reason.Uses[0].Status] + strings.ReplaceAll(reason.ID, "<", "~")
}

func row(reason conditions.Documentation) string {
	uses, last := strings.Builder{}, ""
	for _, use := range reason.Uses {
		if use.Type == last {
			uses.WriteString(" or " + string(use.Status))
			continue
		}
		fmt.Fprintf(&uses, ", `%s` %s", use.Type, use.Status)
		last = use.Type
	}
	kind := "all"
	if reason.Parent != "" {
		kind = "`" + reason.Parent + "`"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", names(reason), kind, strings.TrimPrefix(uses.String(), ", "), reason.Meaning, reason.Remedy)
}

// names returns the reasons of a documentation.
func names(reason conditions.Documentation) string {
	if reason.ID == conditions.ReasonNotStarted.String() {
		return strings.Trim(reason.ID, "<>")
	}
	return "`" + strings.Join(reasons.IDs(reason), "`, `") + "`"
}

// TestUsesOfReasons checks that each condition of the golden responses has a reason that is documented for its type and status.
func TestUsesOfReasons(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range syncFixtures(t) {
		status, _ := parse(t, mustPost(t, handler, f.url(), f.request))["status"].(map[string]any)
		found, _ := status["conditions"].([]any)
		for _, each := range found {
			var condition metav1.Condition
			if err := json.Unmarshal(encode(t, each), &condition); err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			if !reasons.IsDocumented(condition) {
				t.Errorf("%s: the reason %s is not documented for %s %s", f.name, condition.Reason, condition.Type, condition.Status)
			}
		}
	}
}
