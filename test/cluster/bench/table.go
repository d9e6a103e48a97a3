package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// writeTable prints a Markdown table with one column per variant. Requests and events are per parent, CPU time is the total.
func writeTable(w io.Writer, parents, namespaces int, results []result) {
	fmt.Fprintf(w, "\n%d parents over %d namespaces; requests and events are per parent, CPU time is the total.\n\n", parents, namespaces)
	row := func(name string, cell func(result) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, r := range results {
			fmt.Fprintf(w, " %s |", cell(r))
		}
		fmt.Fprintln(w)
	}
	row("", func(r result) string { return r.variant })
	row("---", func(result) string { return "---:" })
	for _, work := range []struct {
		name string
		of   func(result) phase
	}{
		{"created with 3 pods", func(r result) phase { return r.created }},
		{"scaled from 3 to 5", func(r result) phase { return r.scaled }},
	} {
		row("**"+work.name+"**: all pods exist after", func(r result) string { return seconds(work.of(r).pods) })
		row("all statuses name all pods after", func(r result) string { return seconds(work.of(r).complete) })
		row("all parents ready after", func(r result) string { return seconds(work.of(r).ready) })
		row("CPU time of the controller", func(r result) string { return seconds(work.of(r).cpu.controller) })
		row("CPU time of the hook", func(r result) string { return seconds(work.of(r).cpu.hook) })
		row("CPU time of the API server", func(r result) string { return seconds(work.of(r).cpu.apiServer) })
		for _, kind := range []string{"Deployment", "StatefulSet", "Pod"} {
			row("events of kind "+kind, func(r result) string {
				return fmt.Sprintf("%.2f", float64(work.of(r).events[kind])/float64(parents))
			})
		}
		for _, kind := range kinds(results, work.of) {
			row(kind.verb+" "+kind.resource, func(r result) string {
				return fmt.Sprintf("%.2f", float64(work.of(r).requests[kind])/float64(parents))
			})
		}
	}
}

// kinds returns the kinds of requests of all variants, reads last.
func kinds(results []result, of func(result) phase) []request {
	all := map[request]int{}
	for _, r := range results {
		maps.Copy(all, of(r).requests)
	}
	reads := map[string]int{"get": 1, "list": 1}
	return slices.SortedFunc(maps.Keys(all), func(a, b request) int {
		return cmp.Or(reads[a.verb]-reads[b.verb], strings.Compare(a.verb+a.resource, b.verb+b.resource))
	})
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
