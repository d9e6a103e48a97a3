package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// table shows each parent in a line.
func table(parents []unstructured.Unstructured) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "PARENT\tDESIRED\tREADY\tNODES\tCONDITIONS")
	for _, p := range parents {
		ready, _, _ := unstructured.NestedInt64(p.Object, "status", "readyReplicas")
		nodes, _, _ := unstructured.NestedStringSlice(p.Object, "status", "nodes")
		fmt.Fprintf(w, "%s/%s\t%s\t%d\t%s\t%s\n", strings.ToLower(p.GetKind()), p.GetName(), desired(p), ready, shorten(nodes, p.GetName()), conditions(p))
	}
	_ = w.Flush()
	return b.String()
}

// desired is the number of replicas that the parent asks for, by whichever name its kind has for it.
func desired(parent unstructured.Unstructured) string {
	for _, field := range []string{"size", "count", "replicas"} {
		if n, found, _ := unstructured.NestedInt64(parent.Object, "spec", field); found {
			return strconv.FormatInt(n, 10)
		}
	}
	return "-"
}

// shorten leaves out of the pods' names what all of them begin with, and counts those after the third.
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

// conditions names those that are true, and the reason why the parent is not ready.
func conditions(parent unstructured.Unstructured) string {
	list, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	var words []string
	for _, c := range list {
		condition, _ := c.(map[string]any)
		switch {
		case condition["status"] == "True":
			words = append(words, fmt.Sprint(condition["type"]))
		case condition["type"] == "Ready":
			words = append(words, fmt.Sprintf("not Ready (%v)", condition["reason"]))
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

// screen shows a text that changes: in its place on a terminal, one version after the other elsewhere.
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
		fmt.Fprintf(s.w, "\x1b[%dA\x1b[J", strings.Count(s.shown, "\n")) // up to the first line, clear to the end
	} else if s.shown != "" {
		fmt.Fprintln(s.w)
	}
	fmt.Fprint(s.w, text)
	s.shown = text
}
