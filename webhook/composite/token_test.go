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

// repeat returns a reader of n times the byte b.
func repeat(b byte, n int64) io.Reader { return io.LimitReader(endless(b), n) }

type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// insert returns wholeRequest with a token inserted before its parent.
func insert(before string, token io.Reader, after string) io.Reader {
	head, tail, _ := strings.Cut(wholeRequest, `"parent"`)
	return io.MultiReader(strings.NewReader(head+before), token, strings.NewReader(after+`"parent"`+tail))
}

func TestTokenLimit(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	places := []struct {
		reason        string
		before, after string
		fill          byte
	}{
		{"a skipped string, which is buffered too", `"x": "`, `",`, 'a'},
		{"a name", `"`, `": 1,`, 'a'},
		{"a number", `"x": 1`, `,`, '0'},
		{"white space", ``, ``, ' '},
	}
	for _, place := range places {
		if _, err := hook.Handle(configMapKind, insert(place.before, repeat(place.fill, MaxTokenBytes), place.after), metav1.Time{}); err != nil {
			t.Errorf("%s: a token of %d bytes is refused: %v", place.reason, MaxTokenBytes, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := hook.Handle(configMapKind, insert(place.before, repeat(place.fill, 256<<20), place.after), metav1.Time{})
		runtime.ReadMemStats(&after)
		if _, tooLarge := errors.AsType[*TokenError](err); !tooLarge {
			t.Errorf("%s: a token of 256 MiB: error %v, want a TokenError", place.reason, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 24<<20 {
			t.Errorf("%s: refusing a token of 256 MiB allocated %d MiB", place.reason, allocated>>20)
		}
	}
}

// TestManyLargeTokens: the buffer remains large for the rest of a request, which must not count as a large token.
func TestManyLargeTokens(t *testing.T) {
	hook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	parts := []io.Reader{strings.NewReader(`{"x": [0`)}
	for _, size := range []int64{100, MaxTokenBytes, 5, 1 << 20, MaxTokenBytes - 1, 70000, MaxTokenBytes} {
		parts = append(parts, strings.NewReader(`, "`), repeat('a', size), strings.NewReader(`"`))
	}
	parts = append(parts, strings.NewReader("],"+wholeRequest[1:]))
	if _, err := hook.Handle(configMapKind, io.MultiReader(parts...), metav1.Time{}); err != nil {
		t.Errorf("no token is above the limit: %v", err)
	}
}

// TestReadError: an error while reading the body is never reported as invalid JSON, as an invalid parent or as a defect.
func TestReadError(t *testing.T) {
	syncHook := Sync(func(configMapRequest) (Desired[configMapStatus], error) { return Desired[configMapStatus]{}, nil })
	customizeHook := Customize(func(*corev1.ConfigMap) []RelatedRule { return nil })
	broken := errors.New("the connection is gone")
	const body = `{"controller": {"spec": {"childResources": [{"apiVersion": "v1", "resource": "secrets"}]}}, "parent": {"apiVersion": "v1",
		"kind": "ConfigMap", "metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"}}, "data": {"a": "b"}},
		"children": {"Secret.v1": {"a": {"metadata": {"name": "a", "namespace": "n"}}}, "Job.batch/v1": {"x": 1}}, "related": {"Pod.v1": {}}, "finalizing": false}`
	for name, hook := range map[string]Hook{"sync": syncHook, "customize": customizeHook} {
		if _, err := hook.Handle(configMapKind, strings.NewReader(body), metav1.Time{}); err != nil {
			t.Fatalf("%s: the whole body: %v", name, err)
		}
		for length := range body {
			_, err := hook.Handle(configMapKind, io.MultiReader(strings.NewReader(body[:length]), iotest.ErrReader(broken)), metav1.Time{})
			if _, unread := errors.AsType[*ReadError](err); !unread || !errors.Is(err, broken) {
				t.Errorf("%s: after %q: error %v, want a ReadError", name, body[:length], err)
			}
		}
	}
}
