package check

import "fmt"

var hotLoop = Check{
	ID:    "hot-loop",
	Looks: "the children after Metacontroller and the defaults of the API server: the next syncs change none of them",
	Why: "Each write that changes the child causes another sync, without end. With Recreate, the child is deleted each time " +
		"(GoogleCloudPlatform/metacontroller#76, metacontroller#319, metacontroller#863). A write without a change, such as 1000m for 1, is a " +
		"wasted request at each sync.",
	run: func(s *Subject, e *exchange) []string {
		var problems []string
		reported := s.schemaProblems(e.last)
		for _, w := range e.writes {
			if w.Child != "" && reported[w.Child] == nil {
				problems = append(problems, fmt.Sprintf("%s %s, after %d syncs", w.Child, w.What, rounds))
			}
		}
		return problems
	},
}
