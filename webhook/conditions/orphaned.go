package conditions

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

/*
A former parent of the same name left its workload and pods behind.

This check looks for pods without a workload. Metacontroller sends only the objects that the parent owns, and those whose label
controller-uid has the parent's UID, which it adopts.
*/

// ReasonOrphaned is for a parent that has pods but no workload.
var ReasonOrphaned = NewReason(SeverityOverdue, Documentation{ID: "Orphaned",
	Meaning: "A deleted resource with the same name left its Deployment or StatefulSet behind.",
	Remedy:  "To adopt the workload with its pods, run the `kubectl label` command in the message. Otherwise, delete the workload: [Migrate](migrate.md#re-create-a-memcached-and-keep-its-pods)."})

func isOrphaned(in *Input) bool {
	return in.Workload == nil && len(in.Pods) > 0 && len(in.Children) > 0
}

func adoptionPending(in *Input) *Progress {
	var objects []string
	for _, object := range in.Children {
		objects = append(objects, strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind)+"/"+object.(metav1.Object).GetName())
	}
	return ReasonOrphaned.Progress("%s %s has pods, but does not belong to this resource. To adopt it with its pods, run: "+
		"kubectl label --overwrite -n %s %s controller-uid=%s",
		in.Children[0].GetObjectKind().GroupVersionKind().Kind, in.Children[0].(metav1.Object).GetName(),
		in.Parent.GetNamespace(), strings.Join(objects, " "), in.Parent.GetUID())
}

// orphaned is [overdue] before all other checks if a former parent left the workload behind. Its message has all children, also those of
// the proxies, so that one command adopts them.
func orphaned(c checked) Finding {
	if !isOrphaned(c.Input) {
		return Finding{}
	}
	return overdue(c)
}
