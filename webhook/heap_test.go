package webhook

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/composite"
)

// TestNoMemory: bodies of one length differ by a factor of 1,000 in the memory that they are decoded to.
func TestNoMemory(t *testing.T) {
	controller, entered, letGo := held()
	handler := NewHandler(Options{Controllers: []composite.Controller{controller}, MaxHeapBytes: heapBytes() + 48<<20})
	// Each {} becomes an owner reference. All of them would take 800 MiB.
	owners := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"parent":{"metadata":{"ownerReferences":[{}`), io.LimitReader(&again{text: ",{}"}, 12<<20), strings.NewReader(`]}}}`))
	}
	if alone := postThing(handler, owners()); alone.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("alone it got %d %s: to be told to come back would not help it", alone.Code, alone.Body)
	}
	first := make(chan int)
	go func() { first <- postThing(handler, strings.NewReader(thing)).Code }()
	<-entered
	if beside := postThing(handler, owners()); beside.Code != http.StatusTooManyRequests {
		t.Errorf("beside another one it got %d %s: once that is gone there may be room", beside.Code, beside.Body)
	}
	letGo()
	if code := <-first; code != http.StatusOK {
		t.Errorf("the other one got %d: it had been read", code)
	}
	if after := postThing(handler, strings.NewReader(thing)); after.Code != http.StatusOK {
		t.Errorf("what was refused still takes memory: the next one got %d %s", after.Code, after.Body)
	}
}

// again reads a text again and again.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = a.text[a.at]
		a.at = (a.at + 1) % len(a.text)
	}
	return len(p), nil
}
