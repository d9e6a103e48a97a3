package server

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestExploreQueue tries each sequence of steps of up to three requests of two namespaces: none runs uncounted, waits although it may run, or keeps a place
// after it has left. Three requests never reach maxLarge, which TestClasses checks.
func TestExploreQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var explore func(done []queueStep)
		explore = func(done []queueStep) {
			w := &queueWorld{queue: newQueue(1), refused: map[*request]bool{}}
			for _, step := range done {
				w.step(step)
			}
			if wrong := w.wrong(); wrong != "" {
				t.Fatalf("%s after %+v", wrong, done)
			}
			if len(done) == 6 {
				return
			}
			for _, step := range w.steps() {
				explore(append(slices.Clone(done), step))
			}
		}
		explore(nil)
	})
}

// queueWorld is a queue and what its callers know.
type queueWorld struct {
	*queue
	requests []*request
	refused  map[*request]bool
}

// queueStep is something that a caller does next, or a second that passes.
type queueStep struct {
	verb string
	of   int64 // the size or the index of a request
}

// steps returns what can happen next.
func (w *queueWorld) steps() []queueStep {
	steps := []queueStep{{verb: "a second passes"}}
	if len(w.requests) < 3 {
		for _, length := range []int64{smallBytes, smallBytes + 1, -1} {
			steps = append(steps, queueStep{"a", length}, queueStep{"b", length})
		}
	}
	for i, r := range w.requests {
		steps = append(steps, queueStep{"leave", int64(i)})
		switch {
		case r.runs:
			steps = append(steps, queueStep{"pause", int64(i)}, queueStep{"yield", int64(i)})
		case r.begun && !slices.Contains(w.waiting, r):
			steps = append(steps, queueStep{"yield", int64(i)})
		}
	}
	return steps
}

func (w *queueWorld) step(step queueStep) {
	switch step.verb {
	case "a second passes":
		time.Sleep(time.Second)
	case "leave":
		w.leave(w.requests[step.of], 0)
		w.requests = slices.Delete(w.requests, int(step.of), int(step.of)+1)
	case "pause":
		w.pause(w.requests[step.of])
	case "yield":
		w.yield(w.requests[step.of])
	default:
		w.requests = append(w.requests, w.enter(step.verb, step.of))
	}
	w.read()
}

// read reads the decisions, as the callers do that wait for them.
func (w *queueWorld) read() {
	for _, r := range w.requests {
		select {
		case err := <-r.decision:
			w.refused[r] = err != nil
		default:
		}
	}
}

// wrong returns what is wrong, if something is.
func (w *queueWorld) wrong() string {
	var running int
	var begun [huge + 1]int
	ofNamespace := map[*namespace]int{}
	for _, r := range w.requests {
		if wrong := w.wrongOf(r); wrong != "" {
			return wrong
		}
		if r.runs {
			running++
		}
		if r.begun {
			begun[r.class]++
			ofNamespace[r.namespace] += min(1, int(r.class))
		}
	}
	for n, large := range ofNamespace {
		if n.large != large || large > w.cpus {
			return "a namespace has too many large requests, or counts them wrong"
		}
	}
	switch {
	case running != w.running || running > w.cpus:
		return "too many requests run, or they are counted wrong"
	case begun != w.begun || begun[huge] > 1:
		return "too many requests have begun, or they are counted wrong"
	case len(w.waiting) > len(w.requests):
		return "a request waits that has left"
	}
	return ""
}

func (w *queueWorld) wrongOf(r *request) string {
	waits := slices.Contains(w.waiting, r)
	switch {
	case r.runs && (waits || !r.begun || w.refused[r]):
		return "a request runs that waits, has not begun, or is refused"
	case w.refused[r] && (waits || r.begun):
		return "a request is refused that waits or has begun"
	case !r.begun && !waits && !w.refused[r]:
		return "a request is forgotten"
	case waits && w.running < w.cpus && w.mayRun(r, time.Now()):
		return "a request waits that may run"
	}
	return ""
}
