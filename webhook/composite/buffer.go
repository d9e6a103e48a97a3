package composite

import (
	"fmt"
	"io"
)

// MaxTokenBytes is the largest string, number or run of white space that is certain to be read; half as much again is
// certain to be refused. etcd stores no object above 1.5 MiB, so none has a larger one.
const MaxTokenBytes = 2 << 20

// TokenError says that a single token of a request is larger than [MaxTokenBytes].
type TokenError struct{}

func (*TokenError) Error() string {
	return fmt.Sprintf("a single value of the request is larger than %d bytes", MaxTokenBytes)
}

// tokenReader bounds the buffer of a decoder. The decoder streams, but it hands over tokens whole: while one does not
// fit it doubles its buffer, whenever that is three quarters full, from some bytes to as many as it takes. It has no
// limit of its own; but it reads into the free part of the buffer, and so tells how large that has become.
type tokenReader struct{ body io.Reader }

const (
	// maxBuffer doubles once it holds a token of one and a half times MaxTokenBytes. Only a larger one has more room.
	maxBuffer = 2 * MaxTokenBytes
	// maxRead keeps one read from filling a buffer past the three quarters by much.
	maxRead = 64 << 10
)

func (r tokenReader) Read(p []byte) (int, error) {
	if len(p) > maxBuffer {
		return 0, &ReadError{Err: &TokenError{}}
	}
	n, err := r.body.Read(p[:min(len(p), maxRead)])
	if err != nil && err != io.EOF { // a reader returns io.EOF itself: io.Reader
		err = &ReadError{Err: err}
	}
	return n, err
}
