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

// perKind begins the ID of a class with a reason for each kind of child.
const perKind = "<Kind>"

// IsDocumented reports whether the reason of a condition is documented for its type and status. A reason without a documentation
// of its own is one of the kubelet.
func IsDocumented(condition metav1.Condition) bool {
	documented, found := uses[condition.Reason]
	if !found {
		documented = usesOfKubelet
	}
	return slices.Contains(documented, conditions.Use{Type: condition.Type, Status: condition.Status})
}

// uses are the conditions by reason.
var uses, usesOfKubelet = func() (map[string][]conditions.Use, []conditions.Use) {
	byReason, ofKubelet := map[string][]conditions.Use{}, []conditions.Use(nil)
	for _, documented := range conditions.Documented() {
		ids := IDs(documented)
		for _, id := range ids {
			byReason[id] = documented.Uses
		}
		if ids == nil {
			ofKubelet = documented.Uses
		}
	}
	return byReason, ofKubelet
}()

// IDs returns the reasons that a documentation describes; nil for those of the kubelet, which are not limited.
func IDs(documented conditions.Documentation) []string {
	suffix, found := strings.CutPrefix(documented.ID, perKind)
	if !found {
		if strings.HasPrefix(suffix, "<") {
			return nil
		}
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
