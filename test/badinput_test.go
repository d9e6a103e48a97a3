package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
)

// smallest returns the shortest fixture of each hook: enough to be answered, small enough to break in every way.
func smallest(t testing.TB) []fixture {
	t.Helper()
	byURL := map[string]fixture{}
	for _, f := range fixtures(t) {
		if shortest, found := byURL[f.url()]; !found || len(f.request) < len(shortest.request) {
			byURL[f.url()] = f
		}
	}
	var found []fixture
	for _, f := range byURL {
		found = append(found, f)
	}
	return found
}

// TestTruncated: a request that was cut off anywhere is not a smaller observation.
func TestTruncated(t *testing.T) {
	handler := newHandler()
	for _, f := range smallest(t) {
		t.Run(strings.Trim(f.url(), "/"), func(t *testing.T) {
			var whole bytes.Buffer
			if err := json.Compact(&whole, f.request); err != nil {
				t.Fatal(err)
			}
			for length := range whole.Len() {
				wantRefused(t, post(handler, f.url(), whole.Bytes()[:length]), http.StatusBadRequest, fmt.Sprintf("cut off after %d bytes", length))
			}
		})
	}
}

// TestNotAnObservation: what decodes without complaint elsewhere, and would read as "there are no children".
func TestNotAnObservation(t *testing.T) {
	handler := newHandler()
	for _, f := range smallest(t) {
		whole := func() map[string]any { return parse(t, f.request) }
		without := func(member string) string {
			request := whole()
			delete(request, member)
			return string(encode(t, request))
		}
		with := func(member string, value any) string {
			request := whole()
			request[member] = value
			return string(encode(t, request))
		}
		renamed := func(member, name string) string {
			request := whole()
			request[name] = request[member]
			delete(request, member)
			return string(encode(t, request))
		}
		cases := []struct{ reason, body string }{
			{"null is no request", `null`},
			{"an empty object has no parent", `{}`},
			{"an array is no request", `[]`},
			{"an empty body is no request", ``},
			{"a string is no request", `"x"`},
			{"a second value may be the rest of another request", string(f.request) + `{}`},
			{"anything after the value is not of this request", string(f.request) + `x`},
			{"a duplicate name leaves open which one counts", `{"parent":{},` + strings.TrimPrefix(strings.TrimSpace(string(f.request)), "{")},
			{"a duplicate name deep inside, likewise", strings.Replace(string(f.request), `"spec":`, `"spec":{},"spec":`, 1)},
			{"bad UTF-8 was damaged on its way", strings.Replace(string(f.request), `"name": "`, "\"name\": \"\xff", 1)},
			{"NaN is not JSON", strings.Replace(string(f.request), `"generation": `, `"x": NaN, "generation": `, 1)},
			{"nesting of 10,001 levels", `{"future":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001) + `,` + strings.TrimPrefix(strings.TrimSpace(string(f.request)), "{")},
			{"no parent", without("parent")},
			{"a null parent", with("parent", nil)},
			{"a parent in the wrong case", renamed("parent", "Parent")},
			{"a parent that is a list", with("parent", []any{})},
			{"a parent without anything", with("parent", map[string]any{})},
		}
		if f.hook == "customize" {
			cases = append(cases, []struct{ reason, body string }{
				{"no controller: its version decides the answer", without("controller")},
				{"a null controller", with("controller", nil)},
			}...)
		} else {
			cases = append(cases, []struct{ reason, body string }{
				{"no children: they would all read as missing", without("children")},
				{"null children", with("children", nil)},
				{"children in the wrong case", renamed("children", "Children")},
				{"children that are a list", with("children", []any{})},
				{"no related", without("related")},
				{"null related", with("related", nil)},
				{"related in the wrong case", renamed("related", "Related")},
				{"the other kind of hook", with("finalizing", f.hook == "sync")},
			}...)
			for _, part := range []string{"children", "related"} {
				for group := range whole()[part].(map[string]any) {
					cases = append(cases, brokenGroups(t, whole, part, group)...)
				}
			}
		}
		for _, test := range cases {
			wantRefused(t, post(handler, f.url(), []byte(test.body)), http.StatusBadRequest, f.url()+": "+test.reason)
		}
	}
}

func brokenGroups(t *testing.T, whole func() map[string]any, part, group string) []struct{ reason, body string } {
	t.Helper()
	with := func(value any) string {
		request := whole()
		request[part].(map[string]any)[group] = value
		return string(encode(t, request))
	}
	missing := whole()
	delete(missing[part].(map[string]any), group)
	named := func(name string) any {
		return map[string]any{"metadata": map[string]any{"name": name, "namespace": "n"}}
	}
	return []struct{ reason, body string }{
		{part + " without " + group, string(encode(t, missing))},
		{"null " + group, with(nil)},
		{group + " as a list", with([]any{})},
		{"a null object in " + group, with(map[string]any{"x": nil})},
		{"an object without a name in " + group, with(map[string]any{"x": map[string]any{}})},
		{"an object whose name is a number in " + group, with(map[string]any{"x": map[string]any{"metadata": map[string]any{"name": 1}}})},
		{"two objects of one name in " + group, with(map[string]any{"x": named("x"), "y": named("x")})},
	}
}

// TestForeignParent: a hook must not answer for a kind that it does not know, whatever its URL says.
func TestForeignParent(t *testing.T) {
	handler := newHandler()
	for _, f := range smallest(t) {
		for field, values := range map[string][]any{
			"apiVersion": {"cache.example.com/v9", "", nil, 1, "v1"},
			"kind":       {"Other", "memcached", "", nil, true},
		} {
			for _, value := range values {
				request := parse(t, f.request)
				request["parent"].(map[string]any)[field] = value
				recorder := post(handler, f.url(), encode(t, request))
				wantRefused(t, recorder, recorder.Code, fmt.Sprintf("%s: a parent with %s %v", f.url(), field, value))
			}
		}
	}
}

// TestRefusedBeforeTheBody: method, type, encoding and size are the envelope, and a wrong one is never opened.
func TestRefusedBeforeTheBody(t *testing.T) {
	handler := webhook.NewHandler(webhook.Options{Controllers: parents.Controllers(memcached.Config{}), Limits: webhook.Limits{MaxBodyBytes: 1 << 20}})
	for _, f := range smallest(t) {
		cases := []struct {
			reason, method, contentType, encoding, url string
			body                                       []byte
			code                                       int
		}{
			{"hooks are only ever POSTed", http.MethodGet, "application/json", "", f.url(), f.request, 405},
			{"hooks are only ever POSTed", http.MethodPut, "application/json", "", f.url(), f.request, 405},
			{"a form is no request", http.MethodPost, "application/x-www-form-urlencoded", "", f.url(), f.request, 415},
			{"no content type", http.MethodPost, "", "", f.url(), f.request, 415},
			{"Metacontroller never compresses, and a small body may unpack to a huge one", http.MethodPost, "application/json", "gzip", f.url(), f.request, 415},
			{"a body over the limit", http.MethodPost, "application/json", "", f.url(), append(bytes.Repeat([]byte(" "), 1<<20), f.request...), 413},
			{"there is no such hook", http.MethodPost, "application/json", "", f.url() + "/x", f.request, 404},
			{"there is no such controller", http.MethodPost, "application/json", "", "/unknown/sync", f.request, 404},
		}
		for _, test := range cases {
			request := httptest.NewRequest(test.method, test.url, bytes.NewReader(test.body))
			request.Header.Set("Content-Type", test.contentType)
			request.Header.Set("Content-Encoding", test.encoding)
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			wantRefused(t, recorder, test.code, test.reason)
		}
	}
}

// TestInvalidSize: a number of pods that is not one must not scale a cache; its author reads why in the status, or in an Event.
func TestInvalidSize(t *testing.T) {
	handler := newHandler()
	request, err := readRequest("memcached", "sync", "ready")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ reason, size, sentence string }{
		{"less than nothing", `-1`, "spec.size"},
		{"half a pod", `1.5`, "spec.size: 1.5"},
		{"a number in quotes", `"3"`, "spec.size"},
		{"more than an int32 holds, which would wrap around", `4294967298`, "spec.size: 4294967298"},
		{"more than any integer holds", `1e300`, "spec.size: 1e300"},
		{"null reads as absent", `null`, "spec.size"},
		{"a boolean", `true`, "spec.size"},
		{"a list", `[3]`, "spec.size"},
	}
	for _, test := range cases {
		body := bytes.Replace(request, []byte(`"size": 2`), []byte(`"size": `+test.size), 1)
		recorder := post(handler, "/memcached/sync", body)
		wantUnchanged(t, recorder, parse(t, body), test.reason)
		if !strings.Contains(recorder.Body.String(), test.sentence) {
			t.Errorf("%s: %q does not tell about %q", test.reason, recorder.Body, test.sentence)
		}
	}
	absent := bytes.Replace(request, []byte(`"size": 2`), []byte(`"sise": 2`), 1)
	wantUnchanged(t, post(handler, "/memcached/sync", absent), parse(t, absent), "a size that is absent is not 0")
}

// wantRefused fails unless a request was refused with that code and one plain sentence. Only a 200 changes a cluster.
func wantRefused(t testing.TB, recorder *httptest.ResponseRecorder, code int, reason string) {
	t.Helper()
	sentence := recorder.Body.String()
	if recorder.Code != code || recorder.Code < 400 || recorder.Code >= 500 {
		t.Errorf("%s: answered %d %.200q, want %d", reason, recorder.Code, sentence, code)
	}
	if len(sentence) < 10 || len(sentence) > 500 || strings.Count(sentence, "\n") != 1 || strings.HasPrefix(sentence, ":") {
		t.Errorf("%s: %q is not one plain sentence", reason, sentence)
	}
}
