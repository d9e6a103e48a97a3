package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// writeTable prints a Markdown table with one column per variant. Counts are per parent.
func writeTable(w io.Writer, parents int, results []result) {
	fmt.Fprintf(w, "\n%d parents; counts are per parent, CPU time is the total.\n\n", parents)
	row(w, "", cells(results, func(r result) string { return r.variant.name }))
	row(w, "---", cells(results, func(result) string { return "---:" }))
	writePhase(w, parents, "created with 3 pods", results, func(r result) phase { return r.created })
	writePhase(w, parents, "scaled from 3 to 5", results, func(r result) phase { return r.scaled })
	writePhase(w, parents, fmt.Sprintf("idle for %s", idleTime), results, func(r result) phase { return r.idle })
}

func writePhase(w io.Writer, parents int, name string, results []result, of func(result) phase) {
	row(w, "**"+name+"**", cells(results, func(result) string { return "" }))
	line := func(name string, cell func(phase) string) {
		values := cells(results, func(r result) string { return cell(of(r)) })
		if slices.ContainsFunc(values, func(value string) bool { return value != "–" }) {
			row(w, name, values)
		}
	}
	line("all Deployments updated after", func(p phase) string { return seconds(p.deployments) })
	line("all statuses name all pods after", func(p phase) string { return seconds(p.statuses) })
	line("all parents ready after", func(p phase) string { return seconds(p.settled) })
	line("CPU time of the controller", func(p phase) string { return seconds(p.controller) })
	line("CPU time of the hook", func(p phase) string {
		if p.hook == 0 {
			return "–"
		}
		return fmt.Sprintf("%s (%.0f%%)", seconds(p.hook), 100*p.hook.Seconds()/p.controller.Seconds())
	})
	line("calls of sync", func(p phase) string { return perParent(p.calls["sync"], parents) })
	line("calls of customize", func(p phase) string { return perParent(p.calls["customize"], parents) })
	for _, r := range requestsOf(results, of) {
		line(r.verb+" "+r.resource, func(p phase) string { return perParent(p.requests[r], parents) })
	}
}

// requestsOf returns the kinds of requests of all variants, writes first.
func requestsOf(results []result, of func(result) phase) []request {
	all := map[request]bool{}
	for _, r := range results {
		for request := range of(r).requests {
			all[request] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b request) int {
		if isWrite(a) != isWrite(b) {
			return map[bool]int{true: -1, false: 1}[isWrite(a)]
		}
		return strings.Compare(a.verb+a.resource, b.verb+b.resource)
	})
}

func isWrite(r request) bool { return !slices.Contains([]string{"get", "list", "watch"}, r.verb) }

func row(w io.Writer, name string, cells []string) {
	fmt.Fprintf(w, "| %s | %s |\n", name, strings.Join(cells, " | "))
}

func cells(results []result, cell func(result) string) []string {
	var all []string
	for _, r := range results {
		all = append(all, cell(r))
	}
	return all
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// perParent formats a count per parent.
func perParent(count, parents int) string {
	if count == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(count)/float64(parents))
}
