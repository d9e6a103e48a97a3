package hold

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestHold checks when memcached may stop. The tests in test/servers use a real memcached.
func TestHold(t *testing.T) {
	const grace = time.Minute
	proxy, probe := clients{"192.0.2.1": true}, clients{"192.0.2.2": true}
	silent := errors.New("i/o timeout")
	type sample struct {
		clients clients
		err     error
	}
	until := func(end time.Duration, first, later sample) func(time.Duration) sample {
		return func(now time.Duration) sample {
			if now < end {
				return first
			}
			return later
		}
	}
	always := func(each sample) func(time.Duration) sample { return until(grace, each, each) }
	cases := []struct {
		reason string
		sample func(time.Duration) sample
		cancel time.Duration
		want   string
		after  time.Duration
	}{
		{"no proxy knows the server", always(sample{clients: clients{}}), grace, "no client is connected", quiet},
		{"the proxies of an earlier rollout disconnect", until(20*time.Second, sample{clients: proxy}, sample{clients: clients{}}), grace, "no client is connected", 20*time.Second - interval + quiet},
		{"the proxies stay", always(sample{clients: proxy}), grace, "the grace period ends", grace - stopTime},
		{"a TCP probe connects for one sample in five", func(now time.Duration) sample {
			if now%(5*interval) == 0 {
				return sample{clients: probe}
			}
			return sample{clients: clients{}}
		}, grace, "no client is connected", quiet},
		{"another client connects each time", func(now time.Duration) sample {
			return sample{clients: clients{now.String(): true}}
		}, grace, "no client is connected", quiet},
		{"all connections are in use", until(20*time.Second, sample{}, sample{clients: clients{}}), grace, "no client is connected", 20*time.Second + quiet},
		{"memcached is busy for a moment", until(patience-interval, sample{err: silent}, sample{clients: proxy}), grace, "the grace period ends", grace - stopTime},
		{"memcached is quiet and busy", until(2*time.Second, sample{clients: clients{}}, sample{err: silent}), grace, "memcached does not respond: i/o timeout", 2*time.Second + patience},
		{"memcached hangs", always(sample{err: silent}), grace, "memcached does not respond: i/o timeout", patience},
		{"the kubelet stops", always(sample{clients: proxy}), 10 * time.Second, "the kubelet cancelled the request", 10 * time.Second},
	}
	for _, test := range cases {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), test.cancel)
			defer cancel()
			start, silentSince := time.Now(), time.Time{}
			got := (&Config{Grace: grace}).hold(ctx, func() (clients, time.Duration, error) {
				found := test.sample(time.Since(start))
				switch {
				case found.err == nil:
					silentSince = time.Time{}
				case silentSince.IsZero():
					silentSince = time.Now()
				}
				return found.clients, time.Since(silentSince), found.err
			})
			if after := time.Since(start); got != test.want || after != test.after {
				t.Errorf("%s: %q after %s, want %q after %s", test.reason, got, after, test.want, test.after)
			}
		})
	}
}

// TestHoldsOfStrangers checks that requests of other addresses, as many as they want, do not refuse that of the kubelet.
func TestHoldsOfStrangers(t *testing.T) {
	handler := (&Config{Grace: time.Minute, Memcached: "127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)}).handler(t.Context())
	var wait sync.WaitGroup
	call := func(ctx context.Context, address string) int {
		recorder, request := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/hold", nil)
		request.RemoteAddr = address
		handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	strangers, cancel := context.WithCancel(t.Context())
	refused := make(chan bool, maxHolds+1)
	for range maxHolds + 1 {
		wait.Go(func() {
			if call(strangers, "192.0.2.1:4711") == http.StatusTooManyRequests {
				refused <- true
			}
		})
	}
	<-refused
	kubelet, end := context.WithCancel(t.Context())
	end() // its hold then ends at once
	if code := call(kubelet, "192.0.2.2:4711"); code != http.StatusOK {
		t.Errorf("the kubelet gets %d while a stranger has as many requests as it may, want 200", code)
	}
	cancel()
	wait.Wait()
}
