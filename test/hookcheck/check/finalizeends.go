package check

import (
	"slices"
	"strings"
)

var finalizeEnds = Check{
	ID:    "finalize-ends",
	Looks: "each step of a teardown: children that are deleted stay away, and finalize returns finalized at the end",
	Why:   "Otherwise the parent is never deleted: its finalizer blocks its deletion and that of its namespace.",
	run: func(s *Subject, e *exchange) []string {
		if e.Hook != "finalize" {
			return nil
		}
		c, answer, deleted := e.Case, e.answer, []string{}
		for range rounds {
			if answer["finalized"] == true {
				return nil
			}
			before, desired := ObservedNames(c.Request), NamesOf(answer)
			for _, name := range deleted {
				if slices.Contains(desired, name) {
					return []string{"finalize returns " + name + " again after it was deleted"}
				}
			}
			for _, name := range before {
				if !slices.Contains(desired, name) {
					deleted = append(deleted, name)
				}
			}
			var writes []Write
			if c.Request, writes = s.CRDs.Apply(c.Request, answer); len(writes) == 0 {
				break // nothing will change any more
			}
			if answer = s.send(c).answer; answer == nil {
				return []string{"finalize refuses a request of the teardown"}
			}
		}
		return []string{strings.TrimSuffix("finalize never returns finalized; the observed children are "+strings.Join(ObservedNames(c.Request), ", "), " ")}
	},
}

// ObservedNames returns the sorted kinds and names of the children in a request.
func ObservedNames(request map[string]any) []string {
	var names []string
	for _, group := range object(request["children"]) {
		for _, child := range object(group) {
			names = append(names, NameOf(child))
		}
	}
	slices.Sort(names)
	return names
}
