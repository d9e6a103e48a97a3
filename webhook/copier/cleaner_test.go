package copier

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// TestServerOf compares the distribution with what proxies of memcached 1.6.45 do. test/servers compares more keys.
func TestServerOf(t *testing.T) {
	for key, want := range map[string][]int{
		"item-1":                 {0, 0, 0, 0, 4, 4, 4, 4, 8, 8},
		"a\tb":                   {0, 0, 0, 3, 3, 3, 3, 3, 3, 3},
		strings.Repeat("k", 250): {0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
		"dGV4dC0y b":             {0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	} {
		var got []int
		for servers := range 10 {
			got = append(got, ServerOf([]byte(key), servers+1))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.10q is on other ones of 1 to 10 servers (-want +got):\n%s", key, diff)
		}
	}
}

// TestCleanChangedItem checks that clean does not delete an item that is not the listed one anymore, and lists the items again.
func TestCleanChangedItem(t *testing.T) {
	unique := 17
	server := serve(t, func(line string) string {
		switch {
		case line == "stats":
			return "STAT time 100\r\nEND\r\n"
		case strings.HasPrefix(line, "lru_crawler"):
			return fmt.Sprintf("key=item-1 exp=-1 la=1 cas=%d fetch=no cls=1 size=80 \nEND\r\n", unique)
		case line == "mg item-1 u k c":
			return fmt.Sprintf("HD kitem-1 c%d\r\n", unique)
		case line == "md item-1 C17 q":
			unique = 18 // a client was faster
			return "EX\r\n"
		case strings.HasPrefix(line, "md "):
			return ""
		}
		return "MN\r\n"
	})
	config := CleanConfig{Server: server.address, Index: 1 - ServerOf([]byte("item-1"), 2), Of: 2, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)}
	if err := Clean(t.Context(), config); err != nil {
		t.Error(err)
	}
	var deletions []string
	for _, line := range server.received() {
		if strings.HasPrefix(line, "md ") {
			deletions = append(deletions, line)
		}
	}
	if want := []string{"md item-1 C17 q", "md item-1 C18 q"}; !slices.Equal(want, deletions) {
		t.Errorf("the deletions are %q, want %q", deletions, want)
	}
}

// TestCleanLongResponse checks that what a server responds does not fill the log, in which Clean writes an error at each attempt.
func TestCleanLongResponse(t *testing.T) {
	server := serve(t, func(line string) string {
		switch {
		case line == "stats":
			return "STAT time 100\r\nEND\r\n"
		case strings.HasPrefix(line, "lru_crawler"):
			return "key=item-1 exp=-1 la=1 cas=17 fetch=no cls=1 size=80 \nEND\r\n"
		case strings.HasPrefix(line, "mg "):
			return "HD kitem-1 c17\r\n"
		case strings.HasPrefix(line, "md "):
			return strings.Repeat("E", 60_000) + "\r\n"
		}
		return "MN\r\n"
	})
	err := Clean(t.Context(), CleanConfig{Server: server.address, Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "to a deletion") || len(err.Error()) > 1000 {
		t.Errorf("got the error %.1000v, want a shorter one with the deletion", err)
	}
}

// TestCleanKeepsUsedItems checks that clean, which a lost node may run on for long, deletes no item that was used since it began.
func TestCleanKeepsUsedItems(t *testing.T) {
	server := serve(t, func(line string) string {
		switch {
		case line == "stats":
			return "STAT time 100\r\nEND\r\n"
		case strings.HasPrefix(line, "lru_crawler"):
			return "key=old exp=-1 la=100 cas=7 fetch=no cls=1 size=80 \nkey=used exp=-1 la=103 cas=8 fetch=no cls=1 size=80 \nEND\r\n"
		case strings.HasPrefix(line, "mg old "):
			return "HD kold c7\r\n"
		case strings.HasPrefix(line, "md "):
			return ""
		}
		return "MN\r\n"
	})
	if err := Clean(t.Context(), CleanConfig{Server: server.address, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Error(err)
	}
	want := []string{"stats", "stats", "lru_crawler metadump hash", "mg old u k c", "md old C7 q", "mn"}
	if diff := cmp.Diff(want, server.received()); diff != "" {
		t.Errorf("the server receives other commands (-want +got):\n%s", diff)
	}
	connection, err := client.Dial(t.Context(), server.address, client.Config{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if last, err := lastUse(connection, time.Now().Add(-80*time.Second)); last != 22 || err != nil {
		t.Errorf("80 s after it began, clean deletes what was used last until %d (%v), want 20 and the margin", last, err)
	}
}

// TestCleanAwaitsServer: a server that is not reachable for some minutes, for example because no node has room for its pod, is cleaned later.
func TestCleanAwaitsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := Clean(t.Context(), CleanConfig{Server: "127.0.0.1:1", Patience: time.Hour, Logger: slog.New(slog.DiscardHandler)})
		if waited := time.Since(start); err == nil || waited < time.Hour {
			t.Errorf("gave up after %s with %v, want an hour", waited, err)
		}
	})
}
