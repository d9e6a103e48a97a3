package composite

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/merge"
)

// Decision is what Metacontroller changes in the cluster after a response, for logs. Each child is "Kind/name".
type Decision struct {
	Created []string
	// Updated are the children that differ from the desired state, with the path of the first field.
	Updated []string
	Deleted []string
}

// decisionOf compares the observed children with the desired ones. A child that is being deleted does not change.
func decisionOf[P, C, R any](observed Observed[P, C, R], desired []runtime.Object) *Decision {
	var decision Decision
	kept := map[[2]string]bool{}
	for _, child := range desired {
		kind, name := child.GetObjectKind().GroupVersionKind(), child.(metav1.Object).GetName()
		kept[[2]string{groupKey(kind), name}] = true
		view := observed.Child(child)
		if view == nil {
			decision.Created = append(decision.Created, kind.Kind+"/"+name)
			continue
		}
		compared, ok := view.(merge.Observed)
		if !ok || terminating(view) {
			continue
		}
		if field := difference(child, compared); field != "" {
			decision.Updated = append(decision.Updated, kind.Kind+"/"+name+" "+field)
		}
	}
	for key, group := range groupsOf(&observed.Children) {
		kind, _, _ := strings.Cut(key, ".")
		for object := range group.objects() {
			if !kept[[2]string{key, object.GetName()}] && !terminating(object) {
				decision.Deleted = append(decision.Deleted, kind+"/"+object.GetName())
			}
		}
	}
	slices.Sort(decision.Deleted)
	return &decision
}

// difference returns the first field that differs, in the spec if possible: an annotation has the generation of the parent, so it
// differs after each change of a parent.
func difference(desired runtime.Object, observed merge.Observed) string {
	field, err := merge.SpecDifference(desired, observed)
	if field == "" && err == nil {
		field, err = merge.Difference(desired, observed)
	}
	if err != nil {
		return err.Error()
	}
	return field
}

func terminating(view any) bool {
	child, ok := view.(interface{ Terminating() bool })
	return ok && child.Terminating()
}
