package reloader

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// failure is whether the status of the pod shows a failure that was reported and is not over.
type failure int

const (
	// none means that no failure was reported.
	none failure = iota
	// shown means that the last state of the container shows the failure.
	shown
	// hidden means that the last state shows a later termination for another reason, for example a lack of memory.
	hidden
)

// The states of the marker, which precede the hash of the content that failed. The state is reported only from the exit with
// a report until the next start of the container.
const (
	reported = "reported"
	running  = "running"
)

// marker is the file that records a reported failure; "" records nothing.
//
//	no file  --report-->  reported  --start-->  running  --success-->  no file
//	                         ^                     |
//	                         +---start, report-----+
type marker string

// start returns the failure that the previous run reported, and the hash of the content that failed. It records that a new
// run has started.
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
	return hidden, hash, nil // also after an incomplete write: an additional report is harmless
}

func (m marker) write(state, hash string) error {
	if m == "" {
		return nil
	}
	return os.WriteFile(string(m), []byte(state+" "+hash), 0o600)
}

// hashOf returns a hash of the content of the files. The marker has the hash, because the files have keys and passwords.
func hashOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

func (m marker) remove() error {
	if m == "" {
		return nil
	}
	return os.Remove(string(m))
}
