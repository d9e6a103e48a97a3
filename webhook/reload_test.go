package webhook

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/authority"
)

func TestReloaded(t *testing.T) {
	folder := t.TempDir()
	file := authority.Write(folder, "value", []byte("first"))
	reads := 0
	read := func() (string, error) {
		reads++
		content, err := os.ReadFile(file)
		if strings.HasPrefix(string(content), "bad") {
			return "", errors.New("a bad value")
		}
		return string(content), err
	}
	var log bytes.Buffer
	value, err := newReloaded(slog.New(slog.NewTextHandler(&log, nil)), read, file)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		reason string
		change func()
		want   string
		reads  int
		logged string
	}{
		{"nothing changed", func() {}, "first", 1, ""},
		{"another file was put in its place", func() { authority.Write(folder, "value", []byte("again")) }, "again", 2, "level=INFO"},
		{"the new value is bad: the last good one serves on", func() { authority.Write(folder, "value", []byte("bad")) }, "again", 3, "a bad value"},
		{"a bad value that stays is not read and not complained about again", func() {}, "again", 3, ""},
		{"the file is gone", func() { _ = os.Remove(file) }, "again", 4, "no such file"},
		{"it is back", func() { authority.Write(folder, "value", []byte("third")) }, "third", 5, "level=INFO"},
	}
	for _, step := range steps {
		log.Reset()
		step.change()
		value.checked = time.Time{} // the interval is over
		got := value.get()
		if got != step.want || reads != step.reads || !strings.Contains(log.String(), step.logged) || (step.logged == "") != (log.Len() == 0) {
			t.Errorf("%s: %q after %d reads, log %q; want %q after %d, log with %q", step.reason, got, reads, &log, step.want, step.reads, step.logged)
		}
	}
	authority.Write(folder, "value", []byte("fourth"))
	if got := value.get(); got != "third" {
		t.Errorf("the file was looked at again within %s: %q", reloadInterval, got)
	}
}
