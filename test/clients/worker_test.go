package clients

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// worker writes and reads its keys with one client, one after the other.
type worker struct {
	name   string
	driver *driver
	// passes counts how often all keys were used without a failure.
	passes atomic.Uint64

	mutex sync.Mutex
	report
	failing time.Time // the beginning of the first command that failed since the last one that did not
	failure string
}

// report is what a worker has observed.
type report struct {
	commands, failed int
	// outage is the longest time without a command that succeeded, and recovered when the last one ended.
	outage    time.Duration
	recovered time.Time
	// wrong has responses with a value that was replaced before, or of another key.
	wrong []string
}

const (
	workerKeys = 40
	// pause limits a worker to a few hundred commands a second, so that twelve of them leave the machine time.
	pause = 3 * time.Millisecond
)

func (w *worker) run() {
	allowed := make([][]any, workerKeys) // the values that a read may return
	for pass, failed := 0, true; ; pass++ {
		if !failed {
			w.passes.Add(1)
		}
		failed = false
		for i := range workerKeys {
			k := fmt.Sprintf("%s-%d", strings.ReplaceAll(w.name, " ", "-"), i)
			if pass%3 == 0 || allowed[i] == nil {
				value := fmt.Sprintf("%s in pass %d", k, pass)
				stored, ended := w.command("set", k, value)
				if ended {
					return
				}
				if !stored || w.hides() { // a write that failed can have arrived
					allowed[i] = append(allowed[i], value)
				} else {
					allowed[i] = []any{value}
				}
				failed = failed || !stored
			}
			at, ended := w.read(k, allowed[i])
			if ended {
				return
			}
			failed = failed || at < 0
			allowed[i] = allowed[i][max(0, at):] // a read value is not replaced by an earlier one
		}
	}
}

// hides reports whether the library does not return whether a write failed.
func (w *worker) hides() bool { return strings.HasPrefix(w.name, "Django") }

// command sends a command, and reports whether it succeeded, and whether the driver has ended.
func (w *worker) command(operation string, args ...any) (succeeded, ended bool) {
	response, began, err := w.do(operation, args...)
	text, _ := json.Marshal(response)
	success := slices.Contains([]string{"true", "1", `"1"`, `"stored"`, `["STORED"]`}, string(text)) || w.hides()
	w.note(began, success, string(text))
	return success, err != nil
}

// read returns the position of the value that was read.
func (w *worker) read(k string, allowed []any) (at int, ended bool) {
	response, began, err := w.do("get", k)
	text, _ := response.(string)
	at = slices.Index(allowed, response)
	w.note(began, at >= 0, fmt.Sprint(response))
	if at < 0 && strings.Contains(text, " in pass ") {
		w.mutex.Lock()
		w.wrong = append(w.wrong, fmt.Sprintf("get %s returned %q, want one of %q", k, text, allowed))
		w.mutex.Unlock()
	}
	return at, err != nil
}

func (w *worker) do(operation string, args ...any) (response any, began time.Time, err error) {
	time.Sleep(pause)
	began = time.Now()
	responses, err := w.driver.do(append([]any{0, operation}, args...))
	if err != nil {
		return err.Error(), began, err
	}
	return responses[0], began, nil
}

func (w *worker) note(began time.Time, success bool, response string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.commands++
	switch {
	case !success:
		w.failed++
		w.failure = response
		if w.failing.IsZero() {
			w.failing = began
		}
	case !w.failing.IsZero():
		w.recovered = time.Now()
		w.outage, w.failing = max(w.outage, w.recovered.Sub(w.failing)), time.Time{}
	}
}

func (w *worker) last() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.failure
}

func reports(workers []*worker) (all []report) {
	for _, w := range workers {
		w.mutex.Lock()
		all = append(all, w.report)
		w.mutex.Unlock()
	}
	return all
}
