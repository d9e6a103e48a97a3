package webhook

import (
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// reloadInterval is how often the files of a value that is in use are looked at.
const reloadInterval = time.Second

// reloaded is a value that is read from files, and read again when one of them has changed. A new value that cannot be
// read leaves the last good one in use: what rotates credentials may write its files one after the other.
type reloaded[T any] struct {
	files  []string
	read   func() (T, error)
	logger *slog.Logger

	mutex   sync.Mutex
	checked time.Time
	seen    []os.FileInfo
	value   T
}

func newReloaded[T any](logger *slog.Logger, read func() (T, error), files ...string) (*reloaded[T], error) {
	r := &reloaded[T]{files: files, read: read, logger: logger, checked: time.Now(), seen: stat(files)}
	var err error
	r.value, err = read()
	return r, err
}

// get returns the value. The files are looked at when it is used, so nothing runs in the background.
func (r *reloaded[T]) get() T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if time.Since(r.checked) < reloadInterval {
		return r.value
	}
	r.checked = time.Now()
	seen := stat(r.files) // before reading: what is written meanwhile is seen the next time
	if slices.EqualFunc(seen, r.seen, sameFile) {
		return r.value
	}
	r.seen = seen
	value, err := r.read()
	if err != nil {
		r.logger.Error("the last good credentials stay in use", "files", r.files, "error", err.Error())
		return r.value
	}
	r.logger.Info("read changed credentials", "files", r.files)
	r.value = value
	return value
}

func stat(files []string) []os.FileInfo {
	found := make([]os.FileInfo, len(files))
	for i, file := range files {
		found[i], _ = os.Stat(file) // reading it says what is wrong
	}
	return found
}

// sameFile follows links, as stat does: a Secret's volume swaps a link to put new files in place of all the old at once.
func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
