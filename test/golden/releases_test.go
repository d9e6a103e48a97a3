package golden

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// newerDefaults are other images and another library than those of [newHandler].
var newerDefaults = memcached.Config{
	OperatorImage: operatorImage + "-newer",
	Image:         "memcached:newer",
	ExporterImage: "prom/memcached-exporter:newer",
	ProxyLibrary:  proxy.Library + "-- newer\n",
}

// TestTwoReleases lets two releases respond in turns, as they do while a rollout replaces the hook. Once one of them has
// applied a response, no response of the other one changes a child: otherwise the pods would be replaced in turns. The same holds if a policy of the
// cluster gives all images another registry when they are applied.
func TestTwoReleases(t *testing.T) {
	t.Parallel()
	releases := [2]http.Handler{newHandler(), handlerOf(newerDefaults)}
	for _, f := range syncFixtures(t) {
		if f.hook == "finalize" {
			continue // each response has fewer children
		}
		for first := range releases {
			applied := parse(t, mustPost(t, releases[first], f.url(), f.request))
			request, _ := check.CRDs(nil).Apply(parse(t, f.request), applied)
			mirror(request["children"])
			for turn := range 4 {
				recorder := post(releases[(first+turn+1)%2], f.url(), encode(t, request))
				if recorder.Code == http.StatusUnprocessableEntity {
					break // the spec is invalid, the status says so, and the policy has changed a child
				}
				response := parse(t, recorder.Body.Bytes())
				if diff := cmp.Diff(updated(applied["children"]), updated(response["children"])); diff != "" {
					t.Errorf("%s: release %d changes what release %d has applied (-applied +changed):\n%s", f.name, (first+turn+1)%2, first, diff)
					break
				}
				request, _ = check.CRDs(nil).Apply(request, response)
				mirror(request["children"])
			}
		}
	}
}

const mirrorRegistry = "registry.corp.example/"

// mirror gives all images of observed objects another registry.
func mirror(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			mirror(item)
		}
	case map[string]any:
		for name, member := range value {
			if image, isText := member.(string); name == "image" && isText && !strings.HasPrefix(image, mirrorRegistry) {
				value[name] = mirrorRegistry + image
			}
			mirror(member)
		}
	}
}

// updated returns the children that Metacontroller updates: not Jobs, whose update strategy is OnDelete, and not the policy that a Job has
// until the next phase begins.
func updated(children any) []any {
	return slices.DeleteFunc(slices.Clone(children.([]any)), func(child any) bool {
		object := child.(map[string]any)
		return object["kind"] == "Job" || strings.HasSuffix(object["metadata"].(map[string]any)["name"].(string), "-move")
	})
}
