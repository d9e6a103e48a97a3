//go:build !race

package golden

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
			request := jsontext.Value(f.request)
			if err := request.Compact(); err != nil {
				t.Fatal(err)
			}
			mutations := metadataMutations(t, request, func(value span) bool {
				key := fmt.Sprint(f.controller, value.path, string(request[value.start:value.end]))
				skip := seen[key] && !strings.HasPrefix(value.path, ".parent.")
				seen[key] = true
				return skip
			})
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				want, err := childrenOf(controller, f, bytes.NewReader(request))
				if err != nil {
					t.Fatal(err)
				}
				observesChildren := hasChildren(parse(t, request))
				for _, m := range mutations {
					if m.path == ".parent.metadata.name" && !observesChildren {
						continue // without children, another name is only that of another parent
					}
					tried.Add(1)
					got, err := childrenOf(controller, f, m.apply(request))
					if err != nil {
						refused.Add(1)
						continue
					}
					for _, child := range want {
						if !slices.Contains(got, child) && !strings.HasSuffix(child, "-move") {
							t.Errorf("%s is %s: %s is missing", m.path, m.what, child)
						}
					}
				}
			})
		}
	})
	t.Logf("%d mutations, %d refused", tried.Load(), refused.Load())
}

func hasChildren(request map[string]any) bool {
	for _, group := range request["children"].(map[string]any) {
		if len(group.(map[string]any)) > 0 {
			return true
		}
	}
	return false
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
