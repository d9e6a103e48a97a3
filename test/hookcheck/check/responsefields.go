package check

import "fmt"

// fields are the members of responses and whether a value has the right type.
var fields = map[string]map[string]func(any) bool{
	"sync":      {"status": isObject, "children": isList, "resyncAfterSeconds": isNumber, "finalized": isBool},
	"customize": {"relatedResources": isList},
}

var responseFields = Check{
	ID:    "response-fields",
	Looks: "the members of a response: all are known and have the right types, and the list of children or rules is present",
	Why:   `To Metacontroller, {}, null and {"Children": […]} mean that there are no children: it deletes all of them.`,
	run: func(_ *Subject, e *exchange) []string {
		known, needed := fields["sync"], "children"
		if e.Hook == "customize" {
			known, needed = fields["customize"], "relatedResources"
		}
		var problems []string
		for name, value := range e.answer {
			if hasType := known[name]; hasType == nil {
				problems = append(problems, fmt.Sprintf("%s returns the unknown member %q", e.Hook, name))
			} else if !hasType(value) {
				problems = append(problems, fmt.Sprintf("%s returns %s of a wrong type", e.Hook, name))
			}
		}
		if _, found := e.answer[needed]; !found {
			problems = append(problems, fmt.Sprintf("%s returns no %s", e.Hook, needed))
		}
		return problems
	},
}

func isObject(value any) bool { _, ok := value.(map[string]any); return ok }
func isList(value any) bool   { _, ok := value.([]any); return ok }
func isNumber(value any) bool { _, ok := value.(float64); return ok }
func isBool(value any) bool   { _, ok := value.(bool); return ok }
