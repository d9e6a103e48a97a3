// Package reasons looks up the documentation of the reasons of conditions. A class of reasons has a part in angle brackets in its ID.
package reasons

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// IsDocumented reports whether the reason of a condition is documented for its type and status. A reason of the
// kubelet has the documentation of its class. Words that the operator puts before the message of the kubelet identify it.
func IsDocumented(condition metav1.Condition) bool {
	documented, found := byID[condition.Reason]
	if !found && strings.Contains(condition.Message, " does not start: ") {
		documented = byID[conditions.ReasonNotStarted.String()]
	}
	return slices.Contains(documented.Uses, conditions.Use{Type: condition.Type, Status: condition.Status})
}

// byID are the documentations by reason.
var byID = func() map[string]conditions.Documentation {
	documented := map[string]conditions.Documentation{}
	for _, reason := range parents.Reasons() {
		for _, id := range IDs(reason.Documentation()) {
			documented[id] = reason.Documentation()
		}
	}
	return documented
}()

// IDs returns the reasons that a documentation describes; the ID of the class for those of the kubelet, which are not limited.
func IDs(documented conditions.Documentation) []string {
	suffix, found := strings.CutPrefix(documented.ID, "<Kind>")
	if !found {
		return []string{documented.ID}
	}
	var ids []string
	for _, kind := range childKinds {
		ids = append(ids, kind+suffix)
	}
	return ids
}

// childKinds are the kinds of the children of all controllers, in the order in which they declare them. No condition awaits a Job.
var childKinds = func() []string {
	var kinds []string
	for _, controller := range parents.Controllers(memcached.Config{}) {
		for _, key := range controller.Sync.Children {
			if kind, _, _ := strings.Cut(key, "."); kind != "Job" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}()
