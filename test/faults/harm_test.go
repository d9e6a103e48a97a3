package faults

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// observation is the part of a request that the response depends on.
type observation struct {
	Parent struct {
		Metadata struct {
			Name              string `json:"name"`
			Namespace         string `json:"namespace"`
			UID               any    `json:"uid"`
			Generation        any    `json:"generation"`
			DeletionTimestamp any    `json:"deletionTimestamp"`
		} `json:"metadata"`
		Spec   any `json:"spec"`
		Status struct {
			Scaling any `json:"scaling"`
		} `json:"status"`
	} `json:"parent"`
	Children   any `json:"children"`
	Related    any `json:"related"`
	Controller any `json:"controller"`
}

type response struct {
	Status struct {
		Conditions []struct {
			Reason string `json:"reason"`
		} `json:"conditions"`
	} `json:"status"`
	Children         []any `json:"children"`
	RelatedResources []struct {
		LabelSelector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"labelSelector"`
		Names []string `json:"names"`
	} `json:"relatedResources"`
}

// exchange is a request to a hook and its response.
type exchange struct {
	path     string
	request  observation
	response response
}

func newExchange(path string, request, reply []byte) (exchange, error) {
	e := exchange{path: path}
	// Unlike encoding/json, jsonv2 matches names case-sensitively, as Kubernetes does.
	return e, errors.Join(jsonv2.Unmarshal(request, &e.request), jsonv2.Unmarshal(reply, &e.response))
}

// harm returns the harmful effect of a mutated request, or "". With the same parent no child may be deleted, unless the request
// is one of a CompositeController that does not list the kind: it has neither the group nor the kind in childResources. With the
// same children and related objects, too, no child may change.
func harm(original, mutated exchange) string {
	before, want, after, got := original.request, original.response, mutated.request, mutated.response
	if strings.HasSuffix(original.path, "/customize") {
		for _, rule := range got.RelatedResources {
			if len(rule.LabelSelector.MatchLabels) == 0 && len(rule.Names) == 0 {
				return "a rule selects all objects"
			}
		}
		return ""
	}
	expected := slices.DeleteFunc(slices.Clone(want.Children), func(child any) bool { return !after.lists(child) })
	before.Controller, after.Controller = nil, nil
	if reflect.DeepEqual(before, after) && !reflect.DeepEqual(want.Children, got.Children) {
		return "a child would change"
	}
	if strings.HasSuffix(original.path, "/finalize") {
		return "" // finalize deletes children one after the other, depending on the observed children
	}
	for _, condition := range got.Status.Conditions {
		if condition.Reason == "InvalidSpec" {
			return missing("an invalid spec would delete ", observedNames(after.Children), got)
		}
	}
	if len(expected) > 0 && len(got.Children) == 0 {
		return "every child would be deleted"
	}
	// The last step of scaling affects the replicas of children, but not their existence.
	before.Parent.Status.Scaling, after.Parent.Status.Scaling = nil, nil
	if reflect.DeepEqual(before.Parent, after.Parent) {
		return missing("the same parent would delete ", namesOf(expected), got)
	}
	return ""
}

// lists reports whether a request has the group of a child, or the kind of the child in childResources.
func (o *observation) lists(child any) bool {
	kind, _ := members(child)["kind"].(string)
	apiVersion, _ := members(child)["apiVersion"].(string)
	if _, found := members(o.Children)[strings.TrimSuffix(kind+"."+apiVersion, ".")]; found {
		return true
	}
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	resources, _ := members(members(o.Controller)["spec"])["childResources"].([]any)
	return slices.ContainsFunc(resources, func(each any) bool {
		return members(each)["resource"] == plural.Resource && members(each)["apiVersion"] == members(child)["apiVersion"]
	})
}

// missing returns a message about the first child that a response does not contain, or "".
func missing(message string, children []string, r response) string {
	kept := namesOf(r.Children)
	for _, child := range children {
		if !slices.Contains(kept, child) {
			return message + child
		}
	}
	return ""
}

func namesOf(children []any) []string {
	var names []string
	for _, child := range children {
		names = append(names, fmt.Sprint(members(child)["kind"], " ", members(members(child)["metadata"])["name"]))
	}
	return names
}

// observedNames returns the names of the children in a request, where they are grouped by kind.
func observedNames(groups any) []string {
	var children []any
	for group, objects := range members(groups) {
		kind, _, _ := strings.Cut(group, ".")
		for _, child := range members(objects) {
			children = append(children, map[string]any{"kind": kind, "metadata": members(child)["metadata"]})
		}
	}
	return namesOf(children)
}

func members(object any) map[string]any {
	values, _ := object.(map[string]any)
	return values
}

func TestHarm(t *testing.T) {
	const (
		request  = `{"parent":{"metadata":{"name":"a"},"spec":{"size":1}},"children":{"X":{},"Y":{}},"related":{}}`
		response = `{"children":[{"kind":"X","metadata":{"name":"a"},"spec":1},{"kind":"Y","metadata":{"name":"a"}}]}`
	)
	for _, test := range []struct{ reason, path, mutated, got, problem string }{
		{"the same request and response", "/x/sync", request, response, ""},
		{"a child changes with an unknown member", "/x/sync", strings.Replace(request, "{", `{"future":1,`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), "would change"},
		{"a child of the same parent is missing", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "would delete Y a"},
		{"a child may change with the observed children", "/x/sync", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), ""},
		{"a child may change with status.scaling", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), strings.Replace(response, `"spec":1`, `"spec":2`, 1), ""},
		{"a child must not be deleted with status.scaling", "/x/sync", strings.Replace(request, `"spec"`, `"status":{"scaling":{}},"spec"`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "would delete Y a"},
		{"a kind that the request neither has nor lists", "/x/sync", strings.Replace(request, `,"Y":{}`, ``, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, ""},
		{"a kind that the request lists but does not have", "/x/sync", strings.Replace(request, `,"Y":{}}`, `},"controller":{"spec":{"childResources":[{"resource":"ies"}]}}`, 1), `{"children":[{"kind":"X","metadata":{"name":"a"}}]}`, "would delete Y a"},
		{"another parent may have other children", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[{"kind":"X","metadata":{"name":"b"}}]}`, ""},
		{"another parent must have children", "/x/sync", strings.Replace(request, `"size":1`, `"size":2`, 1), `{"children":[]}`, "every child"},
		{"names are case-sensitive", "/x/sync", strings.Replace(request, `"spec"`, `"Spec"`, 1), `{"children":[]}`, "every child"},
		{"an invalid spec must keep observed children", "/x/sync", strings.Replace(request, `"X":{}`, `"X.v1":{"b":{"metadata":{"name":"b"}}}`, 1), strings.Replace(response, "{", `{"status":{"conditions":[{"reason":"InvalidSpec"}]},`, 1), "would delete X b"},
		{"a finalize hook may delete children", "/x/finalize", strings.Replace(request, `"X":{}`, `"X":{"b":{}}`, 1), `{"children":[]}`, ""},
		{"a finalize hook must be deterministic", "/x/finalize", request, `{"children":[]}`, "would change"},
		{"a rule with labels", "/x/customize", request, `{"relatedResources":[{"labelSelector":{"matchLabels":{"a":"b"}}}]}`, ""},
		{"a rule without labels", "/x/customize", request, `{"relatedResources":[{"labelSelector":{}}]}`, "selects all objects"},
	} {
		original, err := newExchange(test.path, []byte(request), []byte(response))
		mutated, mutatedErr := newExchange(test.path, []byte(test.mutated), []byte(test.got))
		if err != nil || mutatedErr != nil {
			t.Fatal(test.reason, err, mutatedErr)
		}
		got := harm(original, mutated)
		if (got == "") != (test.problem == "") || !strings.Contains(got, test.problem) {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.problem)
		}
	}
}
