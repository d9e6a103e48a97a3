package golden

import (
	"net/http"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/example/memcached-operator/crds"
	"github.com/example/memcached-operator/test/hookcheck/check"
)

// TestHookcheck runs the checks for hooks in any language with all recorded requests.
func TestHookcheck(t *testing.T) {
	t.Parallel()
	schemas, err := crds.Schemas[spec.Schema]()
	if err != nil {
		t.Fatal(err)
	}
	var definitions check.CRDs
	for kind, schema := range schemas {
		definitions = append(definitions, check.CRD{Kind: kind, HasStatus: true, Schema: schema})
	}
	cases := map[string][]check.Case{}
	for _, f := range fixtures(t) {
		cases[f.controller] = append(cases[f.controller], check.Case{Name: f.name, Hook: f.hook, Request: parse(t, f.request)})
	}
	for controller, recorded := range cases {
		t.Run(controller, func(t *testing.T) {
			t.Parallel()
			handler := newHandler() // one of all controllers would be busy with the requests of others
			s := check.Subject{CRDs: definitions, Call: func(hook string, body []byte, _ string) check.Response {
				recorder := post(handler, "/"+controller+"/"+hook, body)
				return check.Response{Code: recorder.Code, RetryAfter: recorder.Header().Get("Retry-After"), Body: recorder.Body.Bytes()}
			}}
			for _, f := range s.Run(check.Checks, recorded) {
				t.Errorf("%s: %s: %s", f.Case, f.Check, f.Message)
			}
		})
	}
}

// TestBrokenRequest checks that the hooks refuse each broken request with one sentence: no object is missing because of a mistake,
// and no other kind of parent is at the URL.
func TestBrokenRequest(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	for _, f := range smallest(t) {
		for reason, body := range check.Broken(parse(t, f.request)) {
			recorder := post(handler, f.url(), body)
			code := recorder.Code
			if code != http.StatusUnprocessableEntity {
				code = http.StatusBadRequest
			}
			wantRefused(t, recorder, code, f.url()+": "+reason)
		}
	}
}
