package golden

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// smallest returns the shortest fixture of each hook, because tests break it in many ways.
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

// TestMalformedRequest checks requests that a lenient decoder accepts and reads as "there are no children".
func TestMalformedRequest(t *testing.T) {
	t.Parallel()
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
			{"null is not a request", `null`},
			{"an empty object has no parent", `{}`},
			{"an array is not a request", `[]`},
			{"an empty body is not a request", ``},
			{"a string is not a request", `"x"`},
			{"a second value can be the end of another request", string(f.request) + `{}`},
			{"bytes after the value are not part of the request", string(f.request) + `x`},
			{"a duplicate name is ambiguous", `{"parent":{},` + strings.TrimPrefix(strings.TrimSpace(string(f.request)), "{")},
			{"a nested duplicate name is ambiguous", strings.Replace(string(f.request), `"spec":`, `"spec":{},"spec":`, 1)},
			{"invalid UTF-8", strings.Replace(string(f.request), `"name": "`, "\"name\": \"\xff", 1)},
			{"NaN is not JSON", strings.Replace(string(f.request), `"generation": `, `"x": NaN, "generation": `, 1)},
			{"nesting of 10,001 levels", `{"future":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001) + `,` + strings.TrimPrefix(strings.TrimSpace(string(f.request)), "{")},
			{"no parent", without("parent")},
			{"a null parent", with("parent", nil)},
			{"a parent in the wrong case", renamed("parent", "Parent")},
			{"a parent that is a list", with("parent", []any{})},
			{"an empty parent", with("parent", map[string]any{})},
			{"a null controller is not a missing one", with("controller", nil)},
			{"a controller that is a list", with("controller", []any{})},
			{"a duplicate controller", `{"controller":{},` + strings.TrimPrefix(strings.TrimSpace(string(f.request)), "{")},
		}
		if f.hook != "customize" {
			cases = append(cases, []struct{ reason, body string }{
				{"no children: the hook would see all of them as missing", without("children")},
				{"null children", with("children", nil)},
				{"children in the wrong case", renamed("children", "Children")},
				{"children that are a list", with("children", []any{})},
				{"no related", without("related")},
				{"null related", with("related", nil)},
				{"related in the wrong case", renamed("related", "Related")},
				{"finalizing has the value for the other hook", with("finalizing", f.hook == "sync")},
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
		{"two objects with the same name in " + group, with(map[string]any{"x": named("x"), "y": named("x")})},
	}
}

// TestForeignParent checks that a hook refuses a parent of another kind, even at the right URL.
func TestForeignParent(t *testing.T) {
	t.Parallel()
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
				code := http.StatusBadRequest
				if _, text := value.(string); !text && value != nil {
					code = http.StatusUnprocessableEntity // a field of the parent has a wrong type
				}
				wantRefused(t, recorder, code, fmt.Sprintf("%s: a parent with %s %v", f.url(), field, value))
			}
		}
	}
}

// TestRefusedHeaders checks that a wrong method, content type, encoding or size is refused before the body is decoded.
func TestRefusedHeaders(t *testing.T) {
	t.Parallel()
	handler := server.NewHandler(server.Options{Controllers: parents.Controllers(memcached.Config{}), Limits: server.Limits{MaxBodyBytes: 1 << 20}})
	for _, f := range smallest(t) {
		cases := []struct {
			reason, method, contentType, encoding, url string
			body                                       []byte
			code                                       int
		}{
			{"hooks accept only POST", http.MethodGet, "application/json", "", f.url(), f.request, 405},
			{"hooks accept only POST", http.MethodPut, "application/json", "", f.url(), f.request, 405},
			{"a form is not a request", http.MethodPost, "application/x-www-form-urlencoded", "", f.url(), f.request, 415},
			{"no content type", http.MethodPost, "", "", f.url(), f.request, 415},
			{"Metacontroller never compresses, and a small body can decompress to a huge one", http.MethodPost, "application/json", "gzip", f.url(), f.request, 415},
			{"a body over the limit", http.MethodPost, "application/json", "", f.url(), append(bytes.Repeat([]byte(" "), 1<<20), f.request...), 413},
			{"the hook does not exist", http.MethodPost, "application/json", "", f.url() + "/x", f.request, 404},
			{"the controller does not exist", http.MethodPost, "application/json", "", "/unknown/sync", f.request, 404},
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

// TestInvalidSize checks that an invalid spec.size changes no child. The status or the Event names the problem.
func TestInvalidSize(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	request, err := readRequest("memcached", "sync", "ready")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ reason, size, sentence string }{
		{"a negative number", `-1`, "spec.size"},
		{"a fraction", `1.5`, "spec.size: 1.5"},
		{"a number in quotes", `"3"`, "spec.size"},
		{"an int32 overflow", `4294967298`, "spec.size: 4294967298"},
		{"an int64 overflow", `1e300`, "spec.size: 1e300"},
		{"null means absent", `null`, "spec.size"},
		{"a boolean", `true`, "spec.size"},
		{"a list", `[3]`, "spec.size"},
	}
	for _, test := range cases {
		body := bytes.Replace(request, []byte(`"size": 2`), []byte(`"size": `+test.size), 1)
		if bytes.Equal(body, request) {
			t.Fatalf("%s: the request has no size 2 to replace", test.reason)
		}
		recorder := post(handler, "/memcached/sync", body)
		wantUnchanged(t, recorder, parse(t, body), test.reason)
		if !strings.Contains(recorder.Body.String(), test.sentence) {
			t.Errorf("%s: message %q does not contain %q", test.reason, recorder.Body, test.sentence)
		}
	}
	absent := bytes.Replace(request, []byte(`"size": 2`), []byte(`"sise": 2`), 1)
	wantUnchanged(t, post(handler, "/memcached/sync", absent), parse(t, absent), "an absent size is not 0")
}

// wantRefused fails unless a request was refused with the given code and one plain sentence. Only a 200 changes the cluster.
func wantRefused(t testing.TB, recorder *httptest.ResponseRecorder, code int, reason string) {
	t.Helper()
	sentence := recorder.Body.String()
	if recorder.Code != code || recorder.Code < 400 || recorder.Code >= 500 {
		t.Errorf("%s: got status code %d with %.200q, want %d", reason, recorder.Code, sentence, code)
	}
	if len(sentence) < 10 || len(sentence) > 500 || strings.Count(sentence, "\n") != 1 || strings.HasPrefix(sentence, ":") {
		t.Errorf("%s: body %q is not one plain sentence", reason, sentence)
	}
}
