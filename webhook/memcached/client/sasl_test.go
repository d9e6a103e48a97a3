package client

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestASCIIPassword(t *testing.T) {
	const early = "CLIENT_ERROR unauthenticated\r\n"
	for _, test := range []struct {
		reason    string
		responses []string // to version, the login and the password
		want      string
	}{
		{"the right password", []string{early, "", "STORED\r\n"}, ""},
		{"a wrong password", []string{early, "", "CLIENT_ERROR authentication failure\r\n"}, "authentication failure"},
		{"a server without passwords, which would store the login", []string{"VERSION 1.6.18\r\n", "", "STORED\r\n"}, "remove --auth"},
		{"another response", []string{"ERROR\r\n", "", "STORED\r\n"}, `responds "ERROR"`},
	} {
		_, err := Dial(t.Context(), serve(t, test.responses...), Config{Timeout: time.Second, Auth: AuthASCII, User: "u", Password: "p"})
		if message := errorText(err); (test.want == "") != (err == nil) || !strings.Contains(message, test.want) {
			t.Errorf("%s: got the error %q, want %q", test.reason, message, test.want)
		}
	}
}

// TestDialErrors checks that errors have the address once, and say which flag is wrong.
func TestDialErrors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	address := closed.Addr().String()
	if _, err := Dial(t.Context(), address, Config{Timeout: time.Second}); errorText(err) != "connect to "+address+": connect: connection refused" {
		t.Errorf("a closed port: got the error %v", err)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	go func() {
		if connection, err := plain.Accept(); err == nil {
			_, _ = io.WriteString(connection, "ERROR\r\n")
		}
	}()
	config := Config{Timeout: time.Second, TLS: &tls.Config{MinVersion: tls.VersionTLS12}}
	if _, err := Dial(t.Context(), plain.Addr().String(), config); !strings.Contains(errorText(err), "remove --tls") {
		t.Errorf("TLS to a plain port: got the error %v", err)
	}
	response := [headerBytes]byte{0: 0x81, 7: unknownCommand, 11: 7}
	c := &Conn{Reader: bufio.NewReader(strings.NewReader(string(response[:]) + "Unknown"))}
	if _, err := c.readFrame(); !strings.Contains(errorText(err), "SASL is off") {
		t.Errorf("a login without SASL: got the error %v", err)
	}
}

// TestSASL checks the statistics of the binary protocol, and that a listing is refused without a request.
func TestSASL(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	requests := make(chan string, 2)
	go serveBinary(listener, requests, [][]frame{{{"", "Authenticated"}}, {{"pid", "7"}, {"", ""}}})
	connection, err := Dial(t.Context(), listener.Addr().String(), Config{Timeout: time.Second, Auth: AuthSASL, User: "u", Password: "p"})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	got, err := connection.Stats("")
	if diff := cmp.Diff(map[string]string{"pid": "7"}, got); diff != "" || err != nil {
		t.Errorf("got the error %v and the values (-want +got)\n%s", err, diff)
	}
	if login := <-requests; login != "PLAIN\x00u\x00p" {
		t.Errorf("the login is %q", login)
	}
	if err := connection.Items(ByHash, nil); !errors.Is(err, ErrNoListing) {
		t.Errorf("a listing: got the error %v", err)
	}
}

// serveBinary responds to each request with frames.
func serveBinary(listener net.Listener, requests chan<- string, responses [][]frame) {
	connection, err := listener.Accept()
	if err != nil {
		return
	}
	for _, frames := range responses {
		header := make([]byte, headerBytes)
		if _, err := io.ReadFull(connection, header); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(header[8:]))
		if _, err := io.ReadFull(connection, body); err != nil {
			return
		}
		requests <- string(body)
		for _, f := range frames {
			response := [headerBytes]byte{0: 0x81}
			binary.BigEndian.PutUint16(response[2:], uint16(len(f.key)))
			binary.BigEndian.PutUint32(response[8:], uint32(len(f.key)+len(f.value)))
			if _, err := connection.Write(append(response[:], f.key+f.value...)); err != nil {
				return
			}
		}
	}
}
