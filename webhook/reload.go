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

// reloaded is a value that is read from files. It is read again when one of them has changed, and until that succeeds.
// Meanwhile the last good value stays in use, because a rotation may write its files one after the other.
type reloaded[T any] struct {
	files  []string
	read   func() (T, error)
	logger *slog.Logger

	mutex   sync.Mutex
	checked time.Time
	// seen are the files that value was read from.
	seen  []os.FileInfo
	value T
	// failure is the error that was logged last; "" after a success.
	failure string
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
		r.failure = ""
		return r.value
	}
	value, err := r.read()
	if err != nil {
		r.logFailure(err) // seen stays as it is, so the next look reads again
		return r.value
	}
	r.logger.Info("read changed credentials", "files", r.files)
	r.seen, r.value, r.failure = seen, value, ""
	return value
}

// logFailure logs an error once, and again when its text changes.
func (r *reloaded[T]) logFailure(err error) {
	if err.Error() == r.failure {
		return
	}
	r.failure = err.Error()
	r.logger.Error("cannot read changed credentials; the last good ones stay in use", "files", r.files, "error", r.failure)
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
