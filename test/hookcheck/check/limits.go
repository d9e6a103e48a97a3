package check

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits end the checks of a hook that would take for ever. The zero value has the defaults.
type Limits struct {
	Bytes    int // of a request; 16 MiB by default
	Requests int // to all hooks; 10,000 by default
	Time     time.Duration
}

// usage is what the checks have used of the limits.
type usage struct {
	sync.Mutex
	requests int
	start    time.Time
	exceeded string
}

var limits = Check{
	ID:     "limits",
	Looks:  "what the checks need: requests of at most 16 MiB, 10,000 of them, and half an hour",
	Why:    "A hook whose response grows with its request has no end: Metacontroller syncs again after each write. The checks were stopped here.",
	once:   true,
	always: true,
	run: func(s *Subject, _ *exchange) []string {
		if s.usage.exceeded == "" {
			return nil
		}
		return []string{s.usage.exceeded}
	},
}

// call calls a hook within the limits.
func (s *Subject) call(hook string, body []byte, etag string) Response {
	if reason := s.use(len(body)); reason != "" {
		return Response{Err: errors.New(reason)}
	}
	return s.Call(hook, body, etag)
}

// use counts a request, and returns the limit that is exceeded.
func (s *Subject) use(bytes int) string {
	u := &s.usage
	u.Lock()
	defer u.Unlock()
	if u.requests++; u.requests == 1 {
		u.start = time.Now()
	}
	switch took := time.Since(u.start); {
	case u.exceeded != "":
	case bytes > s.maxBytes():
		u.exceeded = fmt.Sprintf("stopped before a request of %d KiB: the children of the hook grow in size or number at each sync", bytes>>10)
	case u.requests > cmp.Or(s.Limits.Requests, 10_000):
		u.exceeded = fmt.Sprintf("stopped after %d requests: use fewer samples", u.requests-1)
	case took > cmp.Or(s.Limits.Time, 30*time.Minute):
		u.exceeded = fmt.Sprintf("stopped after %s and %d requests: the hook is slow, or there are many samples", took.Round(time.Second), u.requests-1)
	}
	return u.exceeded
}

func (s *Subject) maxBytes() int { return cmp.Or(s.Limits.Bytes, 16<<20) }

// ended reports whether a limit is exceeded.
func (s *Subject) ended() bool {
	s.usage.Lock()
	defer s.usage.Unlock()
	return s.usage.exceeded != ""
}
