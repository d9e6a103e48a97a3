package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// mutateBytes changes a body like a broken network or a broken client.
func mutateBytes(random *rand.Rand, whole []byte) []byte {
	body := slices.Clone(whole)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(body))
		end := min(len(body), at+1+random.IntN(200))
		switch random.IntN(5) {
		case 0: // a bit flips
			body[at] ^= 1 << random.IntN(8)
		case 1: // a part is missing
			body = slices.Delete(body, at, end)
		case 2: // a part is duplicated
			body = slices.Insert(body, at, slices.Clone(body[at:end])...)
		case 3: // a structural character replaces a byte
			body[at] = `{}[]",:0 `[random.IntN(9)]
		case 4: // two parts swap
			middle := at + (end-at)/2
			body = slices.Concat(body[:at], body[middle:end], body[at:middle], body[end:])
		}
		if len(body) == 0 {
			return body
		}
	}
	return body
}

// mutateMember changes one member of an object in the request. The result is valid JSON.
func mutateMember(random *rand.Rand, whole []byte) []byte {
	var request any
	if err := json.Unmarshal(whole, &request); err != nil {
		panic(err)
	}
	var objects []map[string]any
	collect(request, &objects)
	object := objects[random.IntN(len(objects))]
	if random.IntN(4) == 0 { // near the root, where changes have the most effect
		object = objects[random.IntN(min(len(objects), 8))]
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return whole
	}
	slices.Sort(keys)
	key := keys[random.IntN(len(keys))]
	switch random.IntN(4) {
	case 0:
		delete(object, key)
	case 1:
		object[strings.ToUpper(key[:1])+key[1:]+"x"[:random.IntN(2)]] = object[key]
		delete(object, key)
	default:
		object[key] = []any{nil, map[string]any{}, []any{}, "", "x", 0, -1, 1e300, true, map[string]any{"x": nil}}[random.IntN(10)]
	}
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// collect appends the objects of a value in a stable order, outer objects first.
func collect(value any, objects *[]map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		*objects = append(*objects, value)
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			collect(value[key], objects)
		}
	case []any:
		for _, element := range value {
			collect(element, objects)
		}
	}
}

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
	Children any `json:"children"`
	Related  any `json:"related"`
}

type hookResponse struct {
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
	Children         []map[string]any `json:"children"`
	RelatedResources []struct {
		LabelSelector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"labelSelector"`
		Names []string `json:"names"`
	} `json:"relatedResources"`
}

type condition struct {
	Reason string `json:"reason"`
}

// harm returns the harmful effect of a response to a mutated request, or "". With the same parent no child may be deleted.
// With the same children and related objects, too, no child may change.
func harm(original recorded, originalResponse, mutated, got []byte) string {
	var before, after observation
	var want, response hookResponse
	for _, each := range []struct {
		from []byte
		to   any
	}{{original.body, &before}, {mutated, &after}, {originalResponse, &want}, {got, &response}} {
		// Unlike encoding/json this matches names case-sensitively, as Kubernetes does.
		if err := jsonv2.Unmarshal(each.from, each.to); err != nil {
			return fmt.Sprintf("%s: accepted invalid JSON: %v", original.path, err)
		}
	}
	if strings.HasSuffix(original.path, "/customize") {
		for _, rule := range response.RelatedResources {
			if len(rule.LabelSelector.MatchLabels) == 0 && len(rule.Names) == 0 {
				return original.path + ": a rule selects all objects"
			}
		}
		return ""
	}
	if reflect.DeepEqual(before, after) && !reflect.DeepEqual(want.Children, response.Children) {
		return original.path + ": a child would change"
	}
	// The last step of scaling affects the replicas of children, but not their existence.
	before.Parent.Status.Scaling, after.Parent.Status.Scaling = nil, nil
	if strings.HasSuffix(original.path, "/finalize") {
		return "" // finalize deletes children one after the other, depending on the observed children
	}
	if response.invalid() { // an invalid spec may not delete children
		return lostChild(original.path, mutated, response)
	}
	if len(want.Children) > 0 && len(response.Children) == 0 {
		return original.path + ": every child would be deleted"
	}
	if gone := missing(want.Children, response.Children); gone != "" && reflect.DeepEqual(before.Parent, after.Parent) {
		return fmt.Sprintf("%s: %s would be deleted", original.path, gone)
	}
	return ""
}

// invalid reports whether the hook rejected the spec.
func (r hookResponse) invalid() bool {
	return slices.ContainsFunc(r.Status.Conditions, func(condition condition) bool { return condition.Reason == "InvalidSpec" })
}

// lostChild returns a message about an observed child that the response omits, or "".
func lostChild(path string, request []byte, response hookResponse) string {
	var observed struct {
		Children map[string]map[string]map[string]any `json:"children"`
	}
	if err := jsonv2.Unmarshal(request, &observed); err != nil {
		return fmt.Sprintf("%s: accepted invalid JSON: %v", path, err)
	}
	kept := map[string]bool{}
	for _, child := range response.Children {
		kept[nameOf(child)] = true
	}
	for group, objects := range observed.Children {
		kind, _, _ := strings.Cut(group, ".")
		for _, child := range objects {
			child["kind"] = kind
			if !kept[nameOf(child)] {
				return fmt.Sprintf("%s: an invalid spec would delete %s", path, nameOf(child))
			}
		}
	}
	return ""
}

// missing returns the first child of before that after does not contain, or "".
func missing(before, after []map[string]any) string {
	names := map[string]bool{}
	for _, child := range after {
		names[nameOf(child)] = true
	}
	for _, child := range before {
		if !names[nameOf(child)] {
			return nameOf(child)
		}
	}
	return ""
}

func nameOf(child map[string]any) string {
	metadata, _ := child["metadata"].(map[string]any)
	return fmt.Sprint(child["kind"], " ", metadata["name"])
}
