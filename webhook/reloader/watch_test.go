package reloader

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/ca"
)

// TestWatch runs through what the status of the pod may show of a failure: nothing, the failure, or a later termination.
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
		exit    bool
		report  bool
		marker  string
	}{
		{"memcached uses the files since it started", true, "", 0, false, false, ""},
		{"nothing changes", false, "", time.Hour, false, false, ""},
		{"a change that memcached accepts", false, "app:two\n", time.Second, false, false, ""},
		{"a change that memcached does not accept", false, bad, time.Second, false, false, ""},
		{"within the patience", false, "", 29 * time.Second, false, false, ""},
		{"the end of the patience", false, "", time.Second, false, true, reported},
		{"the restart after the report", true, "", time.Second, false, false, running},
		{"the status shows the failure", false, "", time.Hour, false, false, running},
		{"other content that memcached does not accept either", false, "still " + bad, time.Hour, false, false, running},
		{"is reported too", false, "", 30 * time.Second, false, true, reported},
		{"the restart after that report", true, "", time.Second, false, false, running},
		{"the status shows the latest failure", false, "", time.Hour, false, false, running},
		{"the container terminated for another reason", true, "", time.Second, false, false, running},
		{"within the patience after the start", false, "", 29 * time.Second, false, false, running},
		{"the status shows another termination", false, "", time.Second, false, true, reported},
		{"the restart after the second report", true, "", time.Hour, false, false, running},
		{"the failure is over, and the status shows it", false, "app:three\n", time.Second, true, false, ""},
		{"the restart after that", true, "", time.Second, false, false, ""},
		{"the next failure", false, bad, time.Second, false, false, ""},
		{"is reported too", false, "", time.Minute, false, true, reported},
		{"the restart after its report", true, "", time.Second, false, false, running},
		{"the container terminated for another reason again", true, "", time.Second, false, false, running},
		{"the failure is over, and the status does not show it", false, "app:four\n", time.Second, false, false, ""},
		{"nothing changes again", false, "", time.Hour, false, false, ""},
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
		exit, err := w.poll(now)
		if exit != step.exit || (err != nil) != step.report {
			t.Errorf("%s: exit %t, error %v; want exit %t, a report %t", step.reason, exit, err, step.exit, step.report)
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

// TestWatchAfterFailedReload: a failed reload may have changed what memcached uses, so even the previous content is loaded
// again. The patience starts again with each change.
func TestWatchAfterFailedReload(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	config.Patience = 30 * time.Second
	signals := 0
	config.Signal = func() error { signals++; return m.read() }
	w, now := newWatch(config), time.Now()
	for i, content := range []string{"app:one\n", "app:one\n", "nothing\n", "app:one\n", "nothing\n"} {
		m.write(content)
		if exit, err := w.poll(now.Add(time.Duration(i) * time.Minute)); exit || err != nil {
			t.Errorf("poll %d of %q: exit %t, error %v", i, content, exit, err)
		}
	}
	if signals != 2 {
		t.Errorf("memcached was signaled %d times, want one signal for each change to valid content", signals)
	}
}

// TestWatchWithoutMarker: a container that cannot record its report would exit after each restart.
func TestWatchWithoutMarker(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("nothing\n")))
	config := m.config(t)
	config.Marker = filepath.Join(t.TempDir(), "missing", "marker")
	w, now := newWatch(config), time.Now()
	for i := range 3 {
		if exit, err := w.poll(now.Add(time.Duration(i) * time.Hour)); exit || err != nil {
			t.Errorf("poll %d: exit %t, error %v", i, exit, err)
		}
	}
}

// TestIncompleteMarker: an incomplete write leaves an empty file.
func TestIncompleteMarker(t *testing.T) {
	file := ca.Write(t.TempDir(), "marker", nil)
	if got, _, err := marker(file).start(); got != hidden || err != nil {
		t.Errorf("an empty marker results in %d, %v, want hidden", got, err)
	}
}

// TestWatchLogsChanges checks that an error that lasts is logged once, and that the end of a failure is no warning.
func TestWatchLogsChanges(t *testing.T) {
	m := newImitation(t, ca.Write(t.TempDir(), "passwords", []byte("app:one\n")))
	config := m.config(t)
	var log strings.Builder
	config.Logger = slog.New(slog.NewTextHandler(&log, nil))
	now := time.Now()
	w := newWatch(config)
	for i, content := range []string{"app:one\n", "nothing\n", "nothing\n", "app:one\n", "nothing\n"} {
		m.write(content)
		_, _ = w.poll(now.Add(time.Duration(i) * time.Hour)) // the first failures are reported
	}
	var levels []string
	for line := range strings.Lines(log.String()) {
		levels = append(levels, strings.Fields(line)[1])
	}
	if diff := cmp.Diff([]string{"level=INFO", "level=WARN", "level=INFO", "level=WARN"}, levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s%s", diff, &log)
	}
}
