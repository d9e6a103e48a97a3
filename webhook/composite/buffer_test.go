package composite

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

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
