package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/cluster"
)

// table returns one line for each parent, with the columns of kubectl get.
func table(parents []unstructured.Unstructured) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "PARENT\tDESIRED\tREADY\tSTATUS\tNODES")
	for _, p := range parents {
		ready, _, _ := unstructured.NestedInt64(p.Object, "status", "readyReplicas")
		nodes, _, _ := unstructured.NestedStringSlice(p.Object, "status", "nodes")
		fmt.Fprintf(w, "%s/%s\t%s\t%d\t%s\t%s\n", strings.ToLower(p.GetKind()), p.GetName(), desired(p), ready, status(p), shorten(nodes, p.GetName()))
	}
	_ = w.Flush()
	return b.String()
}

// desired returns the number of replicas in the parent's spec. Its field name depends on the kind.
func desired(parent unstructured.Unstructured) string {
	for _, field := range []string{"size", "count", "replicas"} {
		if n, found, _ := unstructured.NestedInt64(parent.Object, "spec", field); found {
			return strconv.FormatInt(n, 10)
		}
	}
	return "-"
}

// shorten removes the parent's name from the pods' names, and shows at most three of them.
func shorten(nodes []string, parent string) string {
	if len(nodes) == 0 {
		return "-"
	}
	var short []string
	for _, node := range nodes[:min(3, len(nodes))] {
		short = append(short, strings.TrimPrefix(node, parent+"-"))
	}
	text := strings.Join(short, " ")
	if more := len(nodes) - 3; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// status returns the reason of the condition Ready, like the column STATUS of kubectl get.
func status(parent unstructured.Unstructured) string {
	ready := cluster.Condition(&parent, "Ready")
	if ready == nil {
		return "-"
	}
	return fmt.Sprint(ready["reason"])
}

// screen shows a text that changes. On a terminal it replaces the previous text; elsewhere it appends.
type screen struct {
	w        io.Writer
	terminal bool
	shown    string
}

func newScreen(w io.Writer, terminal bool) *screen { return &screen{w: w, terminal: terminal} }

func (s *screen) show(text string) {
	if text == s.shown {
		return
	}
	if s.terminal && s.shown != "" {
		fmt.Fprintf(s.w, "\x1b[%dA\x1b[J", strings.Count(s.shown, "\n")) // move to the first line and clear to the end
	} else if s.shown != "" {
		fmt.Fprintln(s.w)
	}
	fmt.Fprint(s.w, text)
	s.shown = text
}
