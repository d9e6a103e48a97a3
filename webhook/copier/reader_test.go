package copier

import (
	"bufio"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// TestLookUp checks that items which clients have deleted since the listing, or are about to store again, are not read. The responses
// are those of memcached 1.6.45.
func TestLookUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	received := make(chan string, 6)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		lines := bufio.NewScanner(connection)
		for _, response := range []string{"HD kkept c17", "EN kdeleted", "HD kstale c19 X W", "HD ktaken c21 Z X", "", "MN"} {
			lines.Scan()
			received <- lines.Text()
			if response != "" {
				_, _ = connection.Write([]byte(response + "\r\n"))
			}
		}
	}()
	server, err := client.Dial(t.Context(), listener.Addr().String(), client.Config{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	r := &reader{Config: Config{InFlight: 64}}
	for _, key := range []string{"kept", "deleted", "stale", "taken"} {
		if err := r.add(t.Context(), server, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.lookUp(server); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]byte{[]byte("kept")}, r.reads); diff != "" {
		t.Errorf("other items are read (-want +got):\n%s", diff)
	}
	want := []string{"mg kept u k c", "mg deleted u k c", "mg stale u k c", "mg taken u k c", "md stale I C19 q", "mn"}
	for _, line := range want {
		if got := <-received; got != line {
			t.Errorf("the server received %q, want %q", got, line)
		}
	}
}
