package webhook

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/authority"
)

func TestReloaded(t *testing.T) {
	folder := t.TempDir()
	file := authority.Write(folder, "value", []byte("first"))
	reads := 0
	var broken error // a failure that leaves the file as it is
	read := func() (string, error) {
		reads++
		if broken != nil {
			return "", broken
		}
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
		{"a bad value that stays is read again, because the cause may be gone, but logged once", func() {}, "again", 4, ""},
		{"the file is gone", func() { _ = os.Remove(file) }, "again", 5, "no such file"},
		{"it is back", func() { authority.Write(folder, "value", []byte("third")) }, "third", 6, "level=INFO"},
		{"a value that was read is not read again", func() {}, "third", 6, ""},
		{"the process has no free descriptor", func() {
			authority.Write(folder, "value", []byte("fourth"))
			broken = &os.PathError{Op: "open", Path: file, Err: syscall.EMFILE}
		}, "third", 7, "too many open files"},
		{"it still has none", func() {}, "third", 8, ""},
		{"another error is worth another line", func() { broken = errors.New("an I/O error") }, "third", 9, "an I/O error"},
		{"the error is gone, and the file is unchanged", func() { broken = nil }, "fourth", 10, "level=INFO"},
		{"the same error after a success is logged again", func() {
			authority.Write(folder, "value", []byte("fifth"))
			broken = errors.New("an I/O error")
		}, "fourth", 11, "an I/O error"},
		{"and what follows it is read", func() { broken = nil }, "fifth", 12, "level=INFO"},
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
	authority.Write(folder, "value", []byte("sixth"))
	if got := value.get(); got != "fifth" {
		t.Errorf("the file was looked at again within %s: %q", reloadInterval, got)
	}
}
