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

// mutateBytes does to a body what a broken network or a broken program would.
func mutateBytes(random *rand.Rand, whole []byte) []byte {
	body := slices.Clone(whole)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(body))
		end := min(len(body), at+1+random.IntN(200))
		switch random.IntN(5) {
		case 0: // a bit flips
			body[at] ^= 1 << random.IntN(8)
		case 1: // a part is lost
			body = slices.Delete(body, at, end)
		case 2: // a part comes twice
			body = slices.Insert(body, at, slices.Clone(body[at:end])...)
		case 3: // structure appears
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

// mutateMember changes one member somewhere in the request and leaves it valid JSON: another observation, or none.
func mutateMember(random *rand.Rand, whole []byte) []byte {
	var request any
	if err := json.Unmarshal(whole, &request); err != nil {
		panic(err)
	}
	var objects []map[string]any
	collect(request, &objects)
	object := objects[random.IntN(len(objects))]
	if random.IntN(4) == 0 { // near the root, where it matters most
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

// collect lists the objects of a value, in one order, outer ones first.
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

// observation is what both answers rest on.
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

type sentAnswer struct {
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

// judge says how an answer to a mutated request would delete or change what the answer to the whole one would not. With
// the same parent every child must be there that was there; with the same objects too, it must be as it was.
func judge(whole recorded, wholeAnswer, mutated, got []byte) string {
	var before, after observation
	var wanted, answered sentAnswer
	for _, each := range []struct {
		from []byte
		to   any
	}{{whole.body, &before}, {mutated, &after}, {wholeAnswer, &wanted}, {got, &answered}} {
		// Names count with their case here, as they do in Kubernetes.
		if err := jsonv2.Unmarshal(each.from, each.to); err != nil {
			return fmt.Sprintf("%s: answered what cannot be read: %v", whole.path, err)
		}
	}
	if strings.HasSuffix(whole.path, "/customize") {
		for _, rule := range answered.RelatedResources {
			if len(rule.LabelSelector.MatchLabels) == 0 && len(rule.Names) == 0 {
				return whole.path + ": a rule selects everything"
			}
		}
		return ""
	}
	if reflect.DeepEqual(before, after) && !reflect.DeepEqual(wanted.Children, answered.Children) {
		return whole.path + ": a child would change"
	}
	// The last step of scaling decides when the next one comes, but never whether a child is there.
	before.Parent.Status.Scaling, after.Parent.Status.Scaling = nil, nil
	if strings.HasSuffix(whole.path, "/finalize") {
		return "" // it deletes one child after the other, as those before are seen to be gone
	}
	if answered.invalid() { // of which nothing may be created, and nothing deleted
		return lostChild(whole.path, mutated, answered)
	}
	if len(wanted.Children) > 0 && len(answered.Children) == 0 {
		return whole.path + ": every child would be deleted"
	}
	if gone := missing(wanted.Children, answered.Children); gone != "" && reflect.DeepEqual(before.Parent, after.Parent) {
		return fmt.Sprintf("%s: %s would be deleted", whole.path, gone)
	}
	return ""
}

// invalid reports whether the hook does not act on the spec.
func (a sentAnswer) invalid() bool {
	return slices.ContainsFunc(a.Status.Conditions, func(condition condition) bool { return condition.Reason == "InvalidSpec" })
}

// lostChild says which observed child an answer leaves out, or "".
func lostChild(path string, request []byte, answered sentAnswer) string {
	var observed struct {
		Children map[string]map[string]map[string]any `json:"children"`
	}
	if err := jsonv2.Unmarshal(request, &observed); err != nil {
		return fmt.Sprintf("%s: answered what cannot be read: %v", path, err)
	}
	kept := map[string]bool{}
	for _, child := range answered.Children {
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

// missing returns the first child that there is no more, or "".
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
