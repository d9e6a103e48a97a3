package golden

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
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
