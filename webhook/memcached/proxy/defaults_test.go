package proxy

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/example/memcached-operator/webhook/observed"
)

// TestLibraryOf checks which library proxies keep in an upgrade of the operator.
func TestLibraryOf(t *testing.T) {
	long := strings.Repeat("<", maxLibrary+1)
	for _, test := range []struct{ reason, applied, recorded, want string }{
		{"that of another release runs", "earlier", hash("earlier"), "earlier"},
		{"somebody has edited it", "edited", hash("earlier"), "configured"},
		{"somebody has written a text that is longer than any library, and its hash", long, hash(long), "configured"},
	} {
		var applied observed.Workload
		body := `{"metadata":{"annotations":{"` + libraryHashAnnotation + `":"` + test.recorded + `"}},
			"spec":{"template":{"metadata":{"annotations":{"` + libraryAnnotation + `":"` + test.applied + `"}}}}}`
		if err := jsonv2.Unmarshal([]byte(body), &applied); err != nil {
			t.Fatal(err)
		}
		if got := LibraryOf(&applied, "configured"); got != test.want {
			t.Errorf("%s: got %.20q, want %q", test.reason, got, test.want)
		}
	}
}
