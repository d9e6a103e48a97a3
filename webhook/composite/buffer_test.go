package composite

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// repeat is a reader of n times the byte b.
func repeat(b byte, n int64) io.Reader { return io.LimitReader(endless(b), n) }

type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// insert returns the whole request with bytes of a token put in.
func insert(before string, token io.Reader, after string) io.Reader {
	head, tail, _ := strings.Cut(wholeRequest, `"parent"`)
	return io.MultiReader(strings.NewReader(head+before), token, strings.NewReader(after+`"parent"`+tail))
}

func TestTokensAreBounded(t *testing.T) {
	hook := Sync(func(observedConfigMap) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	handle := Controller{Parent: configMapKind, Sync: hook}.Handlers()["sync"]
	places := []struct {
		reason        string
		before, after string
		fill          byte
	}{
		{"a string that is skipped is buffered all the same", `"x": "`, `",`, 'a'},
		{"a name", `"`, `": 1,`, 'a'},
		{"a number", `"x": 1`, `,`, '0'},
		{"white space", ``, ``, ' '},
	}
	for _, place := range places {
		if _, err := handle(insert(place.before, repeat(place.fill, MaxTokenBytes), place.after), metav1.Time{}); err != nil {
			t.Errorf("%s: one of %d bytes is refused: %v", place.reason, MaxTokenBytes, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := handle(insert(place.before, repeat(place.fill, 256<<20), place.after), metav1.Time{})
		runtime.ReadMemStats(&after)
		if _, tooLarge := errors.AsType[*TokenError](err); !tooLarge {
			t.Errorf("%s: one of 256 MiB: error %v, want a TokenError", place.reason, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 24<<20 {
			t.Errorf("%s: %d MiB were allocated to find out", place.reason, allocated>>20)
		}
	}
}

// TestManyLargeTokens: the buffer stays large for the rest of a request, which is not to be taken for a large token.
func TestManyLargeTokens(t *testing.T) {
	hook := Sync(func(observedConfigMap) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	handle := Controller{Parent: configMapKind, Sync: hook}.Handlers()["sync"]
	parts := []io.Reader{strings.NewReader(`{"x": [0`)}
	for _, size := range []int64{100, MaxTokenBytes, 5, 1 << 20, MaxTokenBytes - 1, 70000, MaxTokenBytes} {
		parts = append(parts, strings.NewReader(`, "`), repeat('a', size), strings.NewReader(`"`))
	}
	parts = append(parts, strings.NewReader("],"+wholeRequest[1:]))
	if _, err := handle(io.MultiReader(parts...), metav1.Time{}); err != nil {
		t.Errorf("no token was above the limit: %v", err)
	}
}

// TestReadErrorsAreReadErrors: wherever a body breaks off, that is not the fault of its JSON, of the parent or of the hook.
func TestReadErrorsAreReadErrors(t *testing.T) {
	sync := Sync(func(observedConfigMap) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	customize := Customize(func(*corev1.ConfigMap) []RelatedRule { return nil })
	broken := errors.New("the connection is gone")
	const body = `{"controller": {"spec": {"childResources": [{"apiVersion": "v1", "resource": "secrets"}]}}, "parent": {"apiVersion": "v1",
		"kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"}}, "data": {"a": "b"}},
		"children": {"Secret.v1": {"a": {"metadata": {"name": "a"}}}, "Job.batch/v1": {"x": 1}}, "related": {"Node.v1": {}}, "finalizing": false}`
	for name, handle := range (Controller{Parent: configMapKind, Sync: sync, Customize: customize}).Handlers() {
		if _, err := handle(strings.NewReader(body), metav1.Time{}); err != nil {
			t.Fatalf("%s: the whole body: %v", name, err)
		}
		for length := range body {
			_, err := handle(io.MultiReader(strings.NewReader(body[:length]), iotest.ErrReader(broken)), metav1.Time{})
			if _, unread := errors.AsType[*ReadError](err); !unread || !errors.Is(err, broken) {
				t.Errorf("%s: after %q: error %v, want a ReadError", name, body[:length], err)
			}
		}
	}
}
