// Package render calls the sync hooks offline: it reads parents from files, and returns their children and status.
package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/text"
)

// Input is a file with parents, in the formats of kubectl apply.
type Input struct {
	Name    string
	Content []byte
}

// Object is one rendered object.
type Object map[string]any

// Options are the options of [Render].
type Options struct {
	// Now is the time of the sync.
	Now metav1.Time
	// SkipOthers skips objects whose API group and kind no controller has. Otherwise, they are errors.
	SkipOthers bool
	// ChildrenOnly omits the parents. The result then does not depend on Now.
	ChildrenOnly bool
	// Unchecked is called with the path of each field that is set and has CEL rules, because Render does not evaluate those. It may be nil.
	Unchecked func(path string)
}

// Render returns each parent with its status, followed by its children. Errors name the file, the object and the field.
func Render(controllers []composite.Controller, inputs []Input, options Options) ([]Object, error) {
	known, err := schemas()
	if err != nil {
		return nil, err
	}
	var rendered []Object
	var errs []error
	read := 0
	for _, input := range inputs {
		parents, err := documents(input)
		errs = append(errs, err)
		read += len(parents)
		for _, parent := range parents {
			if options.SkipOthers && isOther(controllers, parent) {
				continue
			}
			controller, err := controllerOf(controllers, parent)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			schema := known[controller.Parent]
			if options.Unchecked != nil {
				ruledFields(schema, parent.object, "", options.Unchecked)
			}
			SetDefaults(schema, parent.object)
			if err := parent.check(schema); err != nil {
				errs = append(errs, err)
				continue
			}
			objects, err := renderParent(controller, parent, options.Now)
			errs = append(errs, err)
			if options.ChildrenOnly && len(objects) > 0 {
				objects = objects[1:]
			}
			rendered = append(rendered, objects...)
		}
	}
	err = errors.Join(errs...)
	if err == nil && read == 0 {
		err = errors.New("there is nothing to render, because the input contains no object")
	}
	return rendered, err
}

func controllerOf(controllers []composite.Controller, parent document) (composite.Controller, error) {
	var kinds []string
	for _, controller := range controllers {
		if controller.Parent == parent.kind() {
			return controller, nil
		}
		kinds = append(kinds, fmt.Sprintf("%s (%s)", controller.Parent.Kind, controller.Parent.GroupVersion()))
	}
	problem := "apiVersion or kind is missing"
	if kind := parent.kind(); kind.Kind != "" && kind.Version != "" {
		problem = fmt.Sprintf("the operator has no controller for kind %s of %s", text.Value(kind.Kind), text.Value(kind.GroupVersion().String()))
	}
	return composite.Controller{}, parent.errorOf(fmt.Errorf("%s. Controllers exist for %s; use --skip-others to skip other objects", problem, strings.Join(kinds, ", ")))
}

// isOther reports whether no controller has the API group or the kind of an object. A parent with a misspelled group or kind is
// not another object.
func isOther(controllers []composite.Controller, object document) bool {
	return !slices.ContainsFunc(controllers, func(controller composite.Controller) bool {
		return controller.Parent.Group == object.kind().Group || controller.Parent.Kind == object.kind().Kind
	})
}

// renderParent returns a parent with the status that it has in an empty cluster, followed by its children.
func renderParent(controller composite.Controller, parent document, now metav1.Time) ([]Object, error) {
	if parent.metadata("namespace") == "" {
		metadata, _ := parent.object["metadata"].(map[string]any)
		if metadata == nil {
			return nil, parent.errorOf(errors.New("metadata.name: Required value"))
		}
		metadata["namespace"] = metav1.NamespaceDefault
	}
	request, err := json.Marshal(map[string]any{"parent": parent.object})
	if err != nil {
		return nil, parent.errorOf(err)
	}
	response, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(request), now)
	if err != nil {
		return nil, parent.errorOf(err)
	}
	var desired struct {
		Status   map[string]any `json:"status"`
		Children []Object       `json:"children"`
	}
	if err := json.Unmarshal(response.Body, &desired); err != nil {
		return nil, parent.errorOf(fmt.Errorf("reading the hook's response: %w", err))
	}
	if message, invalid := invalidSpec(desired.Status); invalid {
		return nil, parent.errorOf(errors.New(message))
	}
	parent.object["status"] = desired.Status
	for _, child := range desired.Children {
		delete(child, "status") // only a cluster knows the status
	}
	return append([]Object{parent.object}, policiesFirst(desired.Children)...), nil
}

// policiesFirst returns the children in the order in which a person who applies them should create them: each NetworkPolicy before the pods
// that it protects. Metacontroller applies children in the order of their API groups, whatever their order in a response.
func policiesFirst(children []Object) []Object {
	return slices.SortedStableFunc(slices.Values(children), func(a, b Object) int { return rank(a) - rank(b) })
}

func rank(child Object) int {
	if child["kind"] == "NetworkPolicy" {
		return 0
	}
	return 1
}

// invalidSpec returns the message of a status that reports an invalid spec.
func invalidSpec(status map[string]any) (message string, invalid bool) {
	list, _, _ := unstructured.NestedSlice(status, "conditions")
	for _, condition := range list {
		fields, _ := condition.(map[string]any)
		if fields["type"] == api.Ready && fields["reason"] == conditions.ReasonInvalidSpec.String() {
			message, _ = fields["message"].(string)
			return message, true
		}
	}
	return "", false
}
