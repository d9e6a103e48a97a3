package composite

import (
	"fmt"
	"io"
)

// MaxTokenBytes is the size up to which a string, a number or white space is accepted. Tokens above 1.5 times this size are
// refused. etcd stores no object above 1.5 MiB, so no valid token is larger.
const MaxTokenBytes = 2 << 20

// TokenError reports that a single token of a request is larger than [MaxTokenBytes].
type TokenError struct{}

func (*TokenError) Error() string {
	return fmt.Sprintf("a single value of the request is larger than %d bytes", MaxTokenBytes)
}

// tokenReader limits the buffer of a decoder. The decoder buffers whole tokens: it doubles the buffer whenever three quarters
// of the buffer are full, without a limit. The decoder reads into the free part of the buffer, so the length of that part
// shows how large the buffer is.
type tokenReader struct{ body io.Reader }

const (
	// maxFreeBytes is exceeded only after the buffer has doubled for a token above 1.5 times MaxTokenBytes.
	maxFreeBytes = 2 * MaxTokenBytes
	// maxReadBytes keeps a single read from filling the buffer far beyond three quarters.
	maxReadBytes = 64 << 10
)

func (r tokenReader) Read(p []byte) (int, error) {
	if len(p) > maxFreeBytes {
		return 0, &ReadError{Err: &TokenError{}}
	}
	n, err := r.body.Read(p[:min(len(p), maxReadBytes)])
	if err != nil && err != io.EOF { // io.Reader requires io.EOF itself, not a wrapped one
		err = &ReadError{Err: err}
	}
	return n, err
}
