package check

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

var childOwner = Check{
	ID:    "child-owner",
	Looks: "the labels of children: they match spec.selector of the parent as its CRD stores it, or the CompositeController generates the selector",
	Why: "Metacontroller refuses the whole response if a child does not match, or the selector is empty (metacontroller#573), and adopts and " +
		"releases children by these labels.",
	run: func(_ *Subject, e *exchange) []string {
		wanted := metav1.LabelSelector{MatchLabels: map[string]string{}}
		if at(e.Request, "controller", "spec", "generateSelector") != true {
			if err := json.Unmarshal(encode(at(e.Request, "parent", "spec", "selector")), &wanted); err != nil || len(wanted.MatchLabels)+len(wanted.MatchExpressions) == 0 {
				return []string{"the parent has no spec.selector, or its CRD drops it: set generateSelector in the CompositeController"}
			}
		}
		selector, err := metav1.LabelSelectorAsSelector(&wanted)
		if err != nil {
			return []string{"spec.selector of the parent: " + err.Error()}
		}
		var problems []string
		for _, child := range list(e.answer["children"]) {
			own := labels.Set((&unstructured.Unstructured{Object: object(child)}).GetLabels())
			uid, other := own[uidLabel]
			if child != nil && !selector.Matches(own) {
				problems = append(problems, NameOf(child)+" does not have the labels of spec.selector")
			} else if other && len(wanted.MatchLabels)+len(wanted.MatchExpressions) == 0 && uid != text(e.Request, "parent", "metadata", "uid") {
				problems = append(problems, NameOf(child)+" has the label "+uidLabel+" of another parent")
			}
		}
		return problems
	},
}
