package pages

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCallsOfPipes: the programs of a pipe run at the same time, and each call must have its own arguments.
func TestCallsOfPipes(t *testing.T) {
	const pipes = 50
	block := Block{Place: "page.md:1", Language: "sh", Lines: []string{
		"for i in {1..50}; do kubectl create secret \"two\nlines\" \"\" | kubectl apply -f - | kubectl get pods; done",
	}}
	got, err := block.Calls(t.Context(), t.TempDir(), "kubectl")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, slices.Compare)
	var want [][]string
	for _, call := range [][]string{{"kubectl", "apply", "-f", "-"}, {"kubectl", "create", "secret", "two\nlines", ""}, {"kubectl", "get", "pods"}} {
		want = append(want, slices.Repeat([][]string{call}, pipes)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
