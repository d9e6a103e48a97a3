package check

import "fmt"

var resyncDelay = Check{
	ID:    "resync-delay",
	Looks: "resyncAfterSeconds when nothing is left to do: it is 0 or at least 1",
	Why:   "Metacontroller syncs again after this time, without end. Less than a second is a hot loop.",
	run: func(_ *Subject, e *exchange) []string {
		if seconds, _ := e.last["resyncAfterSeconds"].(float64); seconds < 0 || seconds > 0 && seconds < 1 {
			return []string{fmt.Sprintf("the settled parent has resyncAfterSeconds %v", seconds)}
		}
		return nil
	},
}
