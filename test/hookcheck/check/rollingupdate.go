package check

import "strings"

var rollingUpdate = Check{
	ID:    "rolling-update",
	Looks: "children of kinds with the method RollingInPlace or RollingRecreate: Metacontroller can update them, and each response has a status",
	Why: "Metacontroller 4.17 looks for updated children without their namespaces, and waits for them forever. After an edit it updates one " +
		"child of a parent in a namespace, and none of a parent without one. Without a status, the process of Metacontroller ends.",
	run: func(s *Subject, e *exchange) []string {
		if e.Hook == "customize" {
			return nil
		}
		parent := text(e.Request, "parent", "metadata", "namespace")
		var problems, waiting []string
		rolling := false
		for _, child := range list(e.answer["children"]) {
			if s.CRDs.isRolling(e.Request, child) {
				if rolling = true; parent != "" || text(child, "metadata", "namespace") != "" {
					waiting = append(waiting, NameOf(child))
				}
			}
		}
		if rolling && e.answer["status"] == nil {
			problems = append(problems, e.Hook+" returns no status")
		}
		if parent != "" && len(waiting) > 0 {
			waiting = waiting[1:]
		}
		if len(waiting) > 0 {
			problems = append(problems, "after an edit of the parent, Metacontroller never updates "+strings.Join(waiting, ", "))
		}
		return problems
	},
}
