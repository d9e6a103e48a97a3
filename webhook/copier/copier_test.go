package copier

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		reason, from, through string
		valid                 bool
	}{
		{"two addresses", "cache-0:11211", "[::1]:11211", true},
		{"an address with the ordinal of an index", "cache-{ordinal}.cache:11211", "cache:11211", true},
		{"no address", "", "cache:11211", false},
		{"a server without a port", "localhost", "cache:11211", false},
		{"proxies without a port", "cache-0:11211", "cache", false},
		{"a port without a host", ":11211", "cache:11211", false},
	} {
		config := Config{From: test.from, Through: test.through, Rate: 1, InFlight: 1, Patience: 1}
		if err := config.Check(); (err == nil) != test.valid {
			t.Errorf("%s: got the error %v, want one: %t", test.reason, err, !test.valid)
		}
	}
}

// TestRunWithoutServer checks that the copy waits for a server only as long as its patience is, and then says how often it tried.
func TestRunWithoutServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		config := Config{From: address, Through: address, Rate: 1, InFlight: 1, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)}
		err := Run(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), "made no progress for 1m0s: connect to "+address) {
			t.Errorf("the error is %v, want one with the time", err)
		}
		if took := time.Since(start); took < config.Patience || took > 2*config.Patience {
			t.Errorf("the copy ends after %s, want about %s", took, config.Patience)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		config := Config{From: address, Through: address, Rate: 1, InFlight: 1, Patience: time.Minute, Stuck: true, Logger: slog.New(slog.DiscardHandler)}
		if err, took := Run(t.Context(), config), time.Since(start); err != nil || took < stuckPatience || took > 2*stuckPatience {
			t.Errorf("the copy of a server on a lost node ends after %s with %v, want about %s, and that it is complete", took, err, stuckPatience)
		}
	})
}

// TestRunWithoutProxies checks that the copy of a lost server which responds is not complete while the proxies move no items.
func TestRunWithoutProxies(t *testing.T) {
	server := serve(t, func(line string) string {
		switch {
		case strings.HasPrefix(line, "stats"):
			return "END\r\n"
		case strings.HasPrefix(line, "lru_crawler"):
			return "key=k exp=-1 la=1 cas=1 fetch=no cls=1 size=80 \nEND\r\n"
		}
		return "HD kk c1\r\n"
	})
	synctest.Test(t, func(t *testing.T) {
		config := Config{From: server.address, Through: server.address, Rate: 1000, InFlight: 1, Patience: time.Minute, Stuck: true, Logger: slog.New(slog.DiscardHandler)}
		if err := Run(t.Context(), config); !errors.Is(err, errUnreadable) {
			t.Errorf("the error is %v, want one of the proxies", err)
		}
	})
}

// TestRunFailsAtTheSameItem checks that a listing ends although it lists an item each time before it fails.
func TestRunFailsAtTheSameItem(t *testing.T) {
	server := serve(t, func(line string) string {
		switch {
		case line == "stats":
			return "STAT time 100\r\nEND\r\n"
		case strings.HasPrefix(line, "lru_crawler"):
			return "key=k exp=-1 la=1 cas=1 fetch=no cls=1 size=80 \nEND\r\n"
		}
		return "SERVER_ERROR out of memory\r\n"
	})
	synctest.Test(t, func(t *testing.T) {
		config := CleanConfig{Server: server.address, Of: 1, Patience: time.Hour, Logger: slog.New(slog.DiscardHandler)}
		if err := Clean(t.Context(), config); err == nil || !strings.Contains(err.Error(), "failed 100 times") {
			t.Errorf("the error is %v, want one with the number of listings", err)
		}
	})
}

// TestParse checks in which form keys are read: memcached forgets that a key is in base64 while an item has an owner.
func TestParse(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("key")) + " b"
	for _, test := range []struct{ reason, line, want string }{
		{"a key as text", "HD kkey c17", "key"},
		{"a key in base64", "HD k" + encoded + " c17", encoded},
		{"a key as text with an owner", fmt.Sprintf("HD kkey c%d", uint64(proxyMark<<52+2)), "key"},
		{"a key in base64 with an owner", fmt.Sprintf("HD kkey c%d", uint64(proxyMark<<52+3)), encoded},
		{"a key in base64 that a client has stored again", fmt.Sprintf("HD k%s c%d", encoded, uint64(proxyMark<<52+3)), encoded},
		{"a key that nobody can send in base64, with a unique that looks like one", fmt.Sprintf("HD k%0200d c%d", 0, uint64(proxyMark<<52+3)), strings.Repeat("0", 200)},
		{"a unique of a client", fmt.Sprintf("HD kkey c%d", uint64(proxyMark<<52+1<<52+3)), "key"},
		{"a key with a tab", "HD kke\ty c17", "ke\ty"},
		{"a stale item", "HD kkey c17 X W", "key"},
		{"a missing item", "EN", ""},
		{"the longest key", "HD k" + strings.Repeat("k", client.MaxKey) + " c17", strings.Repeat("k", client.MaxKey)},
		{"a key that no server can have, of which a batch would need too much memory", "HD k" + strings.Repeat("k", client.MaxKey+3) + " c17", ""},
		{"an error", "SERVER_ERROR out of memory", ""},
	} {
		if got := string(parse([]byte(test.line)).key); got != test.want {
			t.Errorf("%s: the key of %q is %q, want %q", test.reason, test.line, got, test.want)
		}
	}
}

// TestFormsOfListedKeys: the server knows the form of a key that text can have. A proxy looks for the other form on another server.
func TestFormsOfListedKeys(t *testing.T) {
	for _, test := range []struct {
		reason, key  string
		asked, known int
	}{
		{"text", "key", 1, 0},
		{"text with a carriage return", "a\rb", 1, 0},
		{"text with a zero byte", "a\x00b", 1, 0},
		{"the longest text", strings.Repeat("\x00", 250), 1, 0},
		{"a space", "a b", 0, 1},
		{"a line feed", "a\nb", 0, 1},
		{"the longest key that has a form in base64", strings.Repeat(" ", 186), 0, 1},
		{"a key that only the binary protocol can have", strings.Repeat(" ", 188), 0, 0},
	} {
		var b batch
		b.add(client.Item{Key: []byte(test.key)})
		if b.asked != test.asked || len(b.items) != test.known {
			t.Errorf("%s: asks the server about %d keys and knows %d, want %d and %d", test.reason, b.asked, len(b.items), test.asked, test.known)
		}
	}
}
