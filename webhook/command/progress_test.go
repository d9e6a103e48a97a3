package command

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress checks that a long wait shows that it goes on, even without a terminal, and that it ends with its context.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		printProgress(t.Context(), &out, 150*time.Second, time.Minute)
		const want = "Watching the requests of clients for 2m30s.\nWatched for 1m0s of 2m30s.\nWatched for 2m0s of 2m30s.\n"
		if got := out.String(); got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		start := time.Now()
		if printProgress(ctx, &out, time.Hour, time.Minute); time.Since(start) != 90*time.Second {
			t.Errorf("ended after %s, want the end of the context", time.Since(start))
		}
	})
}
