package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve accepts connections and responds to each line with the response of the script, in turn.
func serve(t *testing.T, responses ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		reader := bufio.NewReader(connection)
		for _, response := range responses {
			if _, err := reader.ReadString('\n'); err != nil {
				return
			}
			if _, err := io.WriteString(connection, response); err != nil {
				return
			}
		}
		_, _ = reader.ReadString('\n') // until the client closes the connection
	}()
	return listener.Addr().String()
}

func connect(t *testing.T, address string) *Conn {
	t.Helper()
	connection, err := Dial(t.Context(), address, Config{Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// idle are the statistics of a server that does not list items.
const idle = "STAT lru_crawler_running 0\r\nEND\r\n"

const listed = "key=a%20%25%00b exp=-1 la=1795446723 cas=9166 fetch=yes cls=15 size=2076 flags=4294967295 \n"

func TestItems(t *testing.T) {
	want := Item{Key: []byte("a %\x00b"), Expires: -1, Accessed: 1795446723, CAS: 9166, Fetched: true, Class: 15, Size: 2076, Flags: 1<<32 - 1}
	onFlash := Item{Key: []byte("f"), Expires: 7, Accessed: 5, Class: 1, Size: 90, Flash: true}
	cases := []struct {
		reason    string
		responses []string
		want      []Item
		err       string
	}{
		{"memcached 1.6.45 begins with OK", []string{"OK\r\n" + listed + "END\r\n"}, []Item{want}, ""},
		{"an item on flash", []string{"key=f exp=7 la=5 cas=0 fetch=no cls=1 size=90 ext_page=0 ext_offset=3\nEND\r\n"}, []Item{onFlash}, ""},
		{"a server whose class is no index", []string{"key=f exp=7 la=5 cls=-1 size=90\nEND\r\n"}, []Item{{Key: []byte("f"), Expires: 7, Accessed: 5, Class: 255, Size: 90}}, ""},
		{"a server whose key is too long", []string{"key=" + strings.Repeat("%20", 20_000) + " exp=7 la=5 cls=1 size=90\nEND\r\n"},
			[]Item{{Key: bytes.Repeat([]byte(" "), MaxKey), Expires: 7, Accessed: 5, Class: 1, Size: 90}}, ""},
		{"an empty server", []string{"END\r\n"}, nil, ""},
		{"another client lists", []string{"BUSY currently processing crawler request\r\n"}, nil, "busy"},
		{"a hash table that grows", []string{"ERROR locked try again later\r\n"}, nil, "busy"},
		{"a version that cannot walk the hash table", []string{"BADCLASS invalid class id\r\n", listed + "END\r\n"}, []Item{want}, ""},
		{"memcached -X", []string{"ERROR metadump not allowed\r\n"}, nil, `"ERROR metadump not allowed"`},
		{"the connection ends", []string{listed}, []Item{want}, "timeout"},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			connection, err := Dial(t.Context(), serve(t, append([]string{idle}, test.responses...)...), Config{Timeout: 300 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			var got []Item
			err = connection.Items(ByHash, func(item Item) bool {
				item.Key = slices.Clone(item.Key)
				got = append(got, item)
				return true
			})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
			}
			if message := errorText(err); (test.err == "") != (err == nil) || !strings.Contains(message, test.err) {
				t.Errorf("%s: got the error %q, want %q", test.reason, message, test.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestItemsStops checks that a client that has enough items does not wait for the others.
func TestItemsStops(t *testing.T) {
	count := 0
	err := connect(t, serve(t, idle, strings.Repeat(listed, 5))).Items(ByHash, func(Item) bool {
		count++
		return count < 3
	})
	if err != nil || count != 3 {
		t.Errorf("got %d items and the error %v, want 3 and none", count, err)
	}
}

// TestItemsOfBusyServer checks that a server that lists items for another client gets no request for a listing, which could block a
// thread of memcached.
func TestItemsOfBusyServer(t *testing.T) {
	running := "STAT lru_crawler_running 1\r\nEND\r\n"
	connection := connect(t, serve(t, append(slices.Repeat([]string{running}, 10), listed+"END\r\n")...))
	if err := connection.Items(ByHash, func(Item) bool { return true }); !errors.Is(err, ErrBusy) {
		t.Errorf("got the error %v, want %v without a request", err, ErrBusy)
	}
	connection = connect(t, serve(t, running, idle, listed+"END\r\n"))
	if err := connection.Items(ByHash, func(Item) bool { return true }); err != nil {
		t.Errorf("a listing that has just ended: got the error %v", err)
	}
}

// TestCloseIsComplete checks that the context keeps nothing of a connection that is closed: a copy connects again for hours.
func TestCloseIsComplete(t *testing.T) {
	secured := Config{Timeout: time.Second, TLS: &tls.Config{MinVersion: tls.VersionTLS12}}
	for reason, config := range map[string]Config{"a connection that is closed": {Timeout: time.Second}, "a failed handshake": secured, "a failed login": {Timeout: time.Second, Auth: AuthASCII}} {
		ctx := &countingContext{Context: t.Context()}
		if connection, err := Dial(ctx, serve(t, "VERSION 1.6.45\r\n"), config); err == nil {
			connection.Close()
		}
		if ctx.functions != 0 {
			t.Errorf("%s: the context still has %d functions", reason, ctx.functions)
		}
	}
}

// countingContext counts the functions that wait for its end.
type countingContext struct {
	context.Context
	functions int
}

// Value hides the context below, to which package context would add the functions.
func (c *countingContext) Value(any) any { return nil }

func (c *countingContext) AfterFunc(func()) func() bool {
	c.functions++
	return func() bool { c.functions--; return true }
}

// TestWatch checks the entries of the log of memcached 1.6.45, and what it responds without a log.
func TestWatch(t *testing.T) {
	log := "OK\r\n" +
		"ts=1795446723.42 gid=1 type=item_get key=a%20b status=not_found clsid=0 cfd=20 size=0\n" +
		"ts=1795446723.900000 gid=2 type=item_store key=k status=stored cmd=set ttl=0 clsid=7 cfd=20 size=300\n" +
		"ts=1795446723.900001 gid=3 type=item_store key=k status=not_stored cmd=add ttl=0 clsid=7 cfd=20 size=300\n" +
		"skipped=12\n" +
		"ts=1795446724.0 gid=4 type=eviction key=e fetch=no ttl=-1 la=42 clsid=7 size=300\n"
	second := time.Unix(1795446723, 0)
	want := []Entry{
		{Type: Get, Key: []byte("a b"), Time: second.Add(42 * time.Microsecond), Connection: 20},
		{Type: Store, Key: []byte("k"), Time: second.Add(900 * time.Millisecond), Class: 7, Connection: 20},
		{Key: []byte("k"), Time: second.Add(900001 * time.Microsecond), Class: 7, Connection: 20},
		{Key: []byte{}},
		{Type: Evict, Key: []byte("e"), Time: second.Add(time.Second), Class: 7},
	}
	connection, err := Dial(t.Context(), serve(t, log), Config{Timeout: 300 * time.Millisecond})
	if err == nil {
		err = connection.Watch()
	}
	if err != nil {
		t.Fatal(err)
	}
	var got []Entry
	err = connection.Entries(func(entry *Entry) {
		clone := *entry
		clone.Key = slices.Clone(entry.Key)
		got = append(got, clone)
	})
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(errorText(err), "timeout") {
		t.Errorf("got the error %v, want a timeout, and the entries (-want +got):\n%s", err, diff)
	}
	err = connect(t, serve(t, "CLIENT_ERROR watch commands not allowed\r\n")).Watch()
	if !errors.Is(err, ErrRefused) {
		t.Errorf("memcached -W: got the error %v, want a refusal", err)
	}
}
