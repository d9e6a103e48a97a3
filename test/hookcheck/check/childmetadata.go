package check

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var childMetadata = Check{
	ID:    "child-metadata",
	Looks: "the names, labels and annotations of children: all values are strings, and the API server accepts them",
	Why: "Metacontroller refuses the whole response at each sync because of one label that is a number (GoogleCloudPlatform/metacontroller#109). " +
		"It drops all annotations of a child if one is not a string. It keeps trying to create a child that the API server refuses.",
	run: func(_ *Subject, e *exchange) []string {
		var problems []string
		for _, child := range list(e.answer["children"]) {
			metadata := object(at(child, "metadata"))
			noStrings := false
			for _, part := range []string{"labels", "annotations"} {
				values := object(metadata[part])
				for _, name := range slices.Sorted(maps.Keys(values)) {
					if _, isText := values[name].(string); !isText {
						problems = append(problems, fmt.Sprintf("%s has %s.%s %s, which is not a string", NameOf(child), part, name, encode(values[name])))
						noStrings = true
					}
				}
			}
			if name := text(metadata, "name"); name != "" && !noStrings {
				for _, problem := range invalid(text(child, "apiVersion"), text(child, "kind"), &unstructured.Unstructured{Object: object(child)}) {
					problems = append(problems, NameOf(child)+": "+problem)
				}
			}
		}
		return problems
	},
}

// invalid returns why the API server refuses the metadata of a child.
func invalid(apiVersion, kind string, child *unstructured.Unstructured) (problems []string) {
	isName := validation.NameIsDNSSubdomain
	switch {
	case apiVersion == "rbac.authorization.k8s.io/v1":
		isName = func(string, bool) []string { return nil } // system:node is one
	case apiVersion == "v1" && (kind == "Service" || kind == "Namespace"):
		isName = validation.NameIsDNSLabel
	}
	for _, problem := range isName(child.GetName(), false) {
		problems = append(problems, "metadata.name: "+problem)
	}
	metadata := field.NewPath("metadata")
	for _, err := range append(metav1validation.ValidateLabels(child.GetLabels(), metadata.Child("labels")),
		validation.ValidateAnnotations(child.GetAnnotations(), metadata.Child("annotations"))...) {
		problems = append(problems, err.Error())
	}
	return problems
}
