package golden

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// withWholeChildren has the cases whose golden responses have whole children. The other cases have only kinds and names, so that
// a change of a child changes few files.
var withWholeChildren = map[string]bool{
	"memcached/sync/created":                             true,
	"memcached/sync/everything":                          true,
	"memcached/sync/statefulset-created":                 true,
	"memcached/sync/metrics-of-tls-and-sasl":             true,
	"memcached/sync/flash-created":                       true,
	"memcached/sync/proxies-created":                     true,
	"memcached/sync/proxies-tls-created":                 true,
	"memcached/sync/proxies-copy-begins":                 true,
	"memcached/sync/proxies-cleaning":                    true,
	"memcached/sync/auth-ascii":                          true,
	"nginx/sync/created":                                 true,
	"customimagedeploy/sync/created":                     true,
	"customimagedeploy/sync/class-port-and-host-changed": true,
}

// TestGolden compares every response with its golden file. The flag -update rewrites the golden files.
func TestGolden(t *testing.T) {
	t.Parallel()
	handler := newHandler()
	found := map[string]bool{}
	for _, f := range fixtures(t) {
		found[f.name] = true
		t.Run(f.name, func(t *testing.T) {
			body := mustPost(t, handler, f.url(), f.request)
			if f.hook != "customize" && !withWholeChildren[f.name] {
				body = withChildNames(t, body)
			}
			body = bytes.ReplaceAll(body, encode(t, proxy.Library), []byte(`"library.lua"`))
			var got bytes.Buffer
			if err := json.Indent(&got, body, "", "  "); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			if *update {
				if err := os.WriteFile(f.responseFile(), got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(f.responseFile())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("the response differs from the golden file (-want +got):\n%s", diff)
			}
		})
	}
	for name := range withWholeChildren {
		if !found[name] {
			t.Errorf("testdata has no case %s", name)
		}
	}
}

// withChildNames returns a response whose children have only kinds and names. Other members stay as they are.
func withChildNames(t *testing.T, body []byte) []byte {
	t.Helper()
	var response struct {
		Status   json.RawMessage `json:"status"`
		Children []struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		} `json:"children"`
		ResyncAfterSeconds float64 `json:"resyncAfterSeconds,omitempty"`
		Finalized          bool    `json:"finalized,omitempty"`
	}
	mustDecode(t, body, &response)
	return encode(t, response)
}
