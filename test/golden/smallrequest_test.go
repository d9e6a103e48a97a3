package golden

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/example/memcached-operator/test/hookcheck/check"
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

// TestSmallRequest checks the smallest requests. The parents have no namespace, UID and generation.
func TestSmallRequest(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	const (
		cache = `"parent": {"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "a"}, "spec": {"size": 2}}`
		nginx = `"parent": {"apiVersion": "proxy.example.com/v1alpha1", "kind": "Nginx", "metadata": {"name": "a"}, "spec": {"count": 1}}`
		site  = `"parent": {"apiVersion": "customimagedeploy.example.com/v1", "kind": "CustomImageDeploy", "metadata": {"name": "a"}, "spec": {"image": "a:1", "port": 80}}`
	)
	cases := []struct {
		reason, url, body string
		want              []string // children
		sentence          string   // of a response with 400
	}{
		{"every kind counts as listed and empty", "/memcached/sync", `{` + cache + `}`, []string{"Deployment a", "NetworkPolicy a", "PodDisruptionBudget a", "Service a"}, ""},
		{"the kinds that are present count as listed", "/memcached/sync", `{` + cache + `, "children": {"Deployment.apps/v1": {}}}`, []string{"Deployment a"}, ""},
		{"two kinds of four", "/memcached/sync", `{` + cache + `, "children": {"Deployment.apps/v1": {}, "Service.v1": {}}}`, []string{"Deployment a", "Service a"}, ""},
		{"null children are not missing", "/memcached/sync", `{` + cache + `, "children": null}`, nil, "children"},
		{"a null group is not missing", "/memcached/sync", `{` + cache + `, "children": {"Deployment.apps/v1": null}}`, nil, "Deployment"},
		{"Metacontroller always sends children", "/memcached/sync", `{"controller": {}, ` + strings.Replace(cache, `"name": "a"`, `"name": "a", "namespace": "n"`, 1) + `}`, nil, "no children"},
		{"one kind of child", "/nginx/sync", `{` + nginx + `}`, []string{"Deployment a"}, ""},
		{"the only kind of child", "/nginx/sync", `{` + nginx + `, "children": {}}`, nil, "Deployment.apps/v1"},
		{"three kinds of children", "/customimagedeploy/sync", `{` + site + `}`, []string{"Deployment a", "Ingress a", "Service a"}, ""},
		{"one of three kinds", "/customimagedeploy/sync", `{` + site + `, "children": {"Deployment.apps/v1": {}}}`, []string{"Deployment a"}, ""},
	}
	for _, test := range cases {
		recorder := post(handler, test.url, []byte(test.body))
		if test.sentence != "" {
			if recorder.Code != http.StatusBadRequest || !strings.Contains(recorder.Body.String(), test.sentence) {
				t.Errorf("%s: got %d %s, want 400 with %q", test.reason, recorder.Code, recorder.Body, test.sentence)
			}
			continue
		}
		if recorder.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", test.reason, recorder.Code, recorder.Body)
			continue
		}
		if diff := cmp.Diff(test.want, check.NamesOf(parse(t, recorder.Body.Bytes()))); diff != "" {
			t.Errorf("%s: children (-want +got):\n%s", test.reason, diff)
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
