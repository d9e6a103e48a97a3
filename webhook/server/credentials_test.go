package server

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
)

func TestCredentials(t *testing.T) {
	directory := t.TempDir()
	file := ca.Write(directory, "value", []byte("first"))
	reads := 0
	var broken error // fails although the file is unchanged
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
	value, err := loadCredentials(slog.New(slog.NewTextHandler(&log, nil)), read, file)
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
		{"the file is unchanged", func() {}, "first", 1, ""},
		{"the file is replaced", func() { ca.Write(directory, "value", []byte("again")) }, "again", 2, "level=INFO"},
		{"the new value is bad, so the last good one remains in use", func() { ca.Write(directory, "value", []byte("bad")) }, "again", 3, "a bad value"},
		{"a bad value is read again, because the cause may be gone, but logged once", func() {}, "again", 4, ""},
		{"the file is missing", func() { _ = os.Remove(file) }, "again", 5, "no such file"},
		{"the file exists again", func() { ca.Write(directory, "value", []byte("third")) }, "third", 6, "level=INFO"},
		{"an unchanged file is not read again", func() {}, "third", 6, ""},
		{"the process has no free file descriptor", func() {
			ca.Write(directory, "value", []byte("fourth"))
			broken = &os.PathError{Op: "open", Path: file, Err: syscall.EMFILE}
		}, "third", 7, "too many open files"},
		{"the same error is not logged again", func() {}, "third", 8, ""},
		{"another error is logged", func() { broken = errors.New("an I/O error") }, "third", 9, "an I/O error"},
		{"the error is gone and the file is unchanged", func() { broken = nil }, "fourth", 10, "level=INFO"},
		{"the same error after a success is logged again", func() {
			ca.Write(directory, "value", []byte("fifth"))
			broken = errors.New("an I/O error")
		}, "fourth", 11, "an I/O error"},
		{"the file is read after the error is gone", func() { broken = nil }, "fifth", 12, "level=INFO"},
	}
	for _, step := range steps {
		log.Reset()
		step.change()
		value.checked = time.Time{} // checkInterval has passed
		got := value.current()
		if got != step.want || reads != step.reads || !strings.Contains(log.String(), step.logged) || (step.logged == "") != (log.Len() == 0) {
			t.Errorf("%s: %q after %d reads, log %q; want %q after %d, log with %q", step.reason, got, reads, &log, step.want, step.reads, step.logged)
		}
	}
	ca.Write(directory, "value", []byte("sixth"))
	if got := value.current(); got != "fifth" {
		t.Errorf("the file was read again within %s: %q", checkInterval, got)
	}
}
