package golden

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestWithoutController checks requests that a person writes. Metacontroller always sends the controller, so without it the
// groups that are present count as listed, and the response stays the same.
func TestWithoutController(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range fixtures(t) {
		want := mustPost(t, handler, f.url(), f.request)
		request := parse(t, f.request)
		delete(request, "controller")
		if got := mustPost(t, handler, f.url(), encode(t, request)); !bytes.Equal(want, got) {
			t.Errorf("%s: the response differs without the controller:\n%s", f.name, cmp.Diff(string(want), string(got)))
		}
	}
}

// TestFixturesHaveAGroupForEachListedKind checks that recorded requests are complete: Metacontroller sends a group for each kind
// in childResources and no other group. Otherwise a group that a test removes could pass for a kind that is not listed.
func TestFixturesHaveAGroupForEachListedKind(t *testing.T) {
	t.Parallel()
	for _, f := range syncFixtures(t) {
		var request struct {
			Controller struct {
				Spec struct {
					ChildResources []struct {
						APIVersion string `json:"apiVersion"`
						Resource   string `json:"resource"`
					} `json:"childResources"`
				} `json:"spec"`
			} `json:"controller"`
			Children map[string]any `json:"children"`
		}
		mustDecode(t, f.request, &request)
		var listed, groups []string
		for _, child := range request.Controller.Spec.ChildResources {
			listed = append(listed, child.Resource+"."+child.APIVersion)
		}
		for group := range request.Children {
			kind, apiVersion, _ := strings.Cut(group, ".")
			plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
			groups = append(groups, plural.Resource+"."+apiVersion)
		}
		slices.Sort(listed)
		slices.Sort(groups)
		if diff := cmp.Diff(listed, groups); diff != "" {
			t.Errorf("%s: kinds (-childResources +children):\n%s", f.name, diff)
		}
	}
}
