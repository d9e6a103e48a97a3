//go:build !race

package golden

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// TestMetadata changes one value in the metadata of one object of each recorded request: the value is missing, null, empty, another one or
// of another type. The hook must refuse the request, or return every child that it returns for the recorded one, because Metacontroller
// deletes the others. The Job of a move and its NetworkPolicy are for one state of other objects: for another one, the operator creates
// them again.
func TestMetadata(t *testing.T) {
	t.Parallel()
	controllers := parents.Controllers(memcached.Config{OperatorImage: operatorImage})
	seen := map[string]bool{}
	var tried, refused atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, f := range syncFixtures(t) {
			controller := controllers[slices.IndexFunc(controllers, func(c composite.Controller) bool { return c.Name == f.controller })]
			request, kept := parse(t, f.request), map[string][]change{}
			for path, object := range firstObjects(request) {
				for _, c := range changes(object["metadata"], "") {
					id := fmt.Sprint(f.controller, path, c.path, c.from)
					if seen[id+c.what] && path != "parent" || path+c.path == "parent.name" && len(check.ObservedNames(request)) == 0 {
						continue // without children, another name is only that of another parent
					}
					seen[id+c.what] = true
					kept[path] = append(kept[path], c)
				}
			}
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				want, err := childrenOf(controller, f, bytes.NewReader(f.request))
				if err != nil {
					t.Fatal(err)
				}
				for path, object := range firstObjects(request) {
					metadata := object["metadata"]
					object["metadata"] = "@"
					before, after, _ := bytes.Cut(encode(t, request), []byte(`"@"`))
					object["metadata"] = metadata
					for _, c := range kept[path] {
						tried.Add(1)
						got, err := childrenOf(controller, f, io.MultiReader(bytes.NewReader(before), bytes.NewReader(encode(t, c.to)), bytes.NewReader(after)))
						if err != nil {
							refused.Add(1)
							continue
						}
						for _, child := range want {
							if !slices.Contains(got, child) && !strings.HasSuffix(child, "-move") {
								t.Errorf("%s%s is %s: %s is missing", path, c.path, c.what, child)
							}
						}
					}
				}
			})
		}
	})
	t.Logf("%d changes, %d refused", tried.Load(), refused.Load())
}

// firstObjects returns the parent, and the first object of each group in a request, by their paths.
func firstObjects(request map[string]any) map[string]map[string]any {
	found := map[string]map[string]any{"parent": request["parent"].(map[string]any)}
	for _, part := range []string{"children", "related"} {
		for group, objects := range request[part].(map[string]any) {
			if keys := slices.Sorted(maps.Keys(objects.(map[string]any))); len(keys) > 0 {
				found[part+"."+group] = objects.(map[string]any)[keys[0]].(map[string]any)
			}
		}
	}
	return found
}

// change is a copy of a value in which the value at a path is another one.
type change struct {
	path, what string
	from, to   any
}

// changes returns copies of a value, with a change of itself or of a value in it.
func changes(value any, path string) (found []change) {
	for _, other := range others(value) {
		found = append(found, change{path, fmt.Sprintf("%#v", other), value, other})
	}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			changed := maps.Clone(value)
			delete(changed, name)
			found = append(found, change{path + "." + name, "missing", member, changed})
			for _, below := range changes(member, path+"."+name) {
				changed := maps.Clone(value)
				changed[name] = below.to
				found = append(found, change{below.path, below.what, below.from, changed})
			}
		}
	case []any:
		for i, item := range value {
			for _, below := range changes(item, path+"[]") {
				changed := slices.Clone(value)
				changed[i] = below.to
				found = append(found, change{below.path, below.what, below.from, changed})
			}
		}
	}
	return found
}

// others returns other values: null, empty, another one of the same type, and some of other types.
func others(value any) []any {
	none, list, object := any(nil), []any{}, map[string]any{}
	switch value := value.(type) {
	case string:
		another := value + "x"
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			another = at.Add(time.Hour).Format(time.RFC3339)
		}
		return []any{none, "", another, 7, list, object}
	case float64:
		return []any{none, 0, 70000, -1, "x"}
	case bool:
		return []any{none, !value, "x"}
	}
	return []any{none, object, list, "x"}
}

// childrenOf returns the kinds and names of the children in the response.
func childrenOf(controller composite.Controller, f fixture, body io.Reader) (names []string, err error) {
	hook := controller.Sync
	if f.hook == "finalize" {
		hook = controller.Finalize
	}
	response, err := hook.Handle(controller.Parent, body, metav1.NewTime(now))
	if err != nil {
		return nil, err
	}
	var got struct {
		Children []struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		} `json:"children"`
	}
	err = jsonv2.Unmarshal(response.Body, &got)
	for _, child := range got.Children {
		names = append(names, child.Kind+" "+child.Metadata.Name)
	}
	return names, err
}
