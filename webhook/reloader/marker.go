package reloader

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// failure is what the status of the pod shows of a failure that was reported and is not over.
type failure int

const (
	// none was reported.
	none failure = iota
	// shown is a failure that the last state of the container shows.
	shown
	// hidden is a failure behind a later end of the container, which something else caused, for example a lack of memory.
	hidden
)

// The states in the marker, before the hash of the content that failed. A run starts with a marker that says reported only if
// the run before ended with its report.
const (
	reported = "reported"
	running  = "running"
)

// marker is the file that remembers a reported failure; "" remembers nothing.
//
//	no file  --report-->  reported  --start-->  running  --success-->  no file
//	                         ^                     |
//	                         +---start, report-----+
type marker string

// start returns what the end of the run before left, with the hash of the content that failed, and notes that another run
// has started.
func (m marker) start() (failure, string, error) {
	if m == "" {
		return none, "", nil
	}
	content, err := os.ReadFile(string(m))
	state, hash, _ := strings.Cut(string(content), " ")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, "", nil
	case err != nil:
		return none, "", err
	case state == reported:
		return shown, hash, m.write(running, hash)
	}
	return hidden, hash, nil // also after a write that was cut short: one more report does no harm
}

func (m marker) write(state, hash string) error {
	if m == "" {
		return nil
	}
	return os.WriteFile(string(m), []byte(state+" "+hash), 0o600)
}

// hashOf returns a hash of the content of the files, which the marker may hold: they have keys and passwords.
func hashOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

func (m marker) remove() error {
	if m == "" {
		return nil
	}
	return os.Remove(string(m))
}
