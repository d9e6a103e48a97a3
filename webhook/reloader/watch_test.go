package reloader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
)

// TestWatch goes through what the status of the pod may show of a failure: nothing, the failure, or a later end.
func TestWatch(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	config.Patience = 30 * time.Second
	const bad = "nothing\n"
	steps := []struct {
		reason  string
		restart bool
		content string
		after   time.Duration
		end     bool
		report  bool
		marker  string
	}{
		{"memcached uses the files since it started", true, "", 0, false, false, ""},
		{"nothing changes", false, "", time.Hour, false, false, ""},
		{"a change that memcached accepts", false, "app:two\n", time.Second, false, false, ""},
		{"a change that it does not accept may be half of one", false, bad, time.Second, false, false, ""},
		{"within the patience", false, "", 29 * time.Second, false, false, ""},
		{"beyond it", false, "", time.Second, false, true, reported},
		{"the restart after the report", true, "", time.Second, false, false, running},
		{"the status shows the failure", false, "", time.Hour, false, false, running},
		{"another content that is no better", false, "still " + bad, time.Hour, false, false, running},
		{"may fail for another reason", false, "", 30 * time.Second, false, true, reported},
		{"the restart after that report", true, "", time.Second, false, false, running},
		{"the status shows the latest failure", false, "", time.Hour, false, false, running},
		{"something else ended the container", true, "", time.Second, false, false, running},
		{"within the patience of the new start", false, "", 29 * time.Second, false, false, running},
		{"the status shows another end", false, "", time.Second, false, true, reported},
		{"the restart after the second report", true, "", time.Hour, false, false, running},
		{"the failure is over, and the status shows it", false, "app:three\n", time.Second, true, false, ""},
		{"the restart after that", true, "", time.Second, false, false, ""},
		{"the next failure", false, bad, time.Second, false, false, ""},
		{"is reported as the first one was", false, "", time.Minute, false, true, reported},
		{"the restart after its report", true, "", time.Second, false, false, running},
		{"something else ended the container again", true, "", time.Second, false, false, running},
		{"the failure is over, and the status does not show it", false, "app:four\n", time.Second, false, false, ""},
		{"nothing is left of it", false, "", time.Hour, false, false, ""},
	}
	var w *watch
	now := time.Now()
	for _, step := range steps {
		if step.restart {
			w = newWatch(config)
		}
		if step.content != "" {
			m.write(step.content)
		}
		now = now.Add(step.after)
		end, err := w.look(now)
		if end != step.end || (err != nil) != step.report {
			t.Errorf("%s: end %t, error %v; want end %t, a report %t", step.reason, end, err, step.end, step.report)
		}
		if state := markerOf(t, config); state != step.marker {
			t.Errorf("%s: the marker is %q, want %q", step.reason, state, step.marker)
		}
	}
}

func markerOf(t *testing.T, config Config) string {
	t.Helper()
	content, err := os.ReadFile(config.Marker)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	state, _, _ := strings.Cut(string(content), " ")
	return state
}

// TestWatchAfterAnAttempt: what was tried and failed may have changed what memcached uses, so the files are applied again
// even if they are as they were. A later failure is another one.
func TestWatchAfterAnAttempt(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	config.Patience = 30 * time.Second
	signals := 0
	config.Signal = func() error { signals++; return m.read() }
	w, now := newWatch(config), time.Now()
	for i, content := range []string{"app:one\n", "nothing\n", "app:one\n", "nothing\n"} {
		m.write(content)
		if end, err := w.look(now.Add(time.Duration(i) * time.Minute)); end || err != nil {
			t.Errorf("look %d, at %q: end %t, error %v", i, content, end, err)
		}
	}
	if signals != 2 {
		t.Errorf("memcached was told %d times, want once for each time that the files were good", signals)
	}
}

// TestWatchWithoutMemory: a container that could not remember its report would end again and again.
func TestWatchWithoutMemory(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("nothing\n")))
	config := m.config(t)
	config.Marker = filepath.Join(t.TempDir(), "missing", "marker")
	w, now := newWatch(config), time.Now()
	for i := range 3 {
		if end, err := w.look(now.Add(time.Duration(i) * time.Hour)); end || err != nil {
			t.Errorf("look %d: end %t, error %v", i, end, err)
		}
	}
}

// TestMarkerCutShort: a write that was cut short leaves an empty file.
func TestMarkerCutShort(t *testing.T) {
	file := ca.Write(t.TempDir(), "marker", nil)
	if got, _, err := marker(file).start(); got != hidden || err != nil {
		t.Errorf("an empty marker means %d, %v, want one more report", got, err)
	}
}
