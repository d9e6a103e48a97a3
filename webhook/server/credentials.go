package server

import (
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// checkInterval is the shortest time between two checks whether the files of credentials have changed.
const checkInterval = time.Second

// credentials are a value that is read from files, and read again when a file has changed. Until that succeeds, the last good
// value remains in use, because a rotation may write the files one after the other.
type credentials[T any] struct {
	files  []string
	read   func() (T, error)
	logger *slog.Logger

	mutex   sync.Mutex
	checked time.Time
	value   T
	// readFrom is the state of the files when value was read.
	readFrom []os.FileInfo
	// failure is the last error in the log; "" after a success.
	failure string
}

func loadCredentials[T any](logger *slog.Logger, read func() (T, error), files ...string) (*credentials[T], error) {
	c := &credentials[T]{files: files, read: read, logger: logger, checked: time.Now(), readFrom: stat(files)}
	var err error
	c.value, err = read()
	return c, err
}

// current returns the value. It checks the files itself, so no goroutine is needed.
func (c *credentials[T]) current() T {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if time.Since(c.checked) < checkInterval {
		return c.value
	}
	c.checked = time.Now()
	found := stat(c.files) // before reading, so that the next check finds a later write
	if slices.EqualFunc(found, c.readFrom, sameFile) {
		c.failure = ""
		return c.value
	}
	value, err := c.read()
	if err != nil {
		c.logFailure(err) // readFrom is unchanged, so the next check reads again
		return c.value
	}
	c.logger.Info("reloaded changed credentials", "files", c.files)
	c.readFrom, c.value, c.failure = found, value, ""
	return value
}

// logFailure logs an error once, and again when its text changes.
func (c *credentials[T]) logFailure(err error) {
	if err.Error() == c.failure {
		return
	}
	c.failure = err.Error()
	c.logger.Error("cannot reload changed credentials; the last valid credentials remain in use", "files", c.files, "error", c.failure)
}

func stat(files []string) []os.FileInfo {
	infos := make([]os.FileInfo, len(files))
	for i, file := range files {
		infos[i], _ = os.Stat(file) // reading the file returns the error
	}
	return infos
}

// sameFile compares the targets of symbolic links: the kubelet updates a Secret volume by replacing a link to the directory
// of all files.
func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
