//go:build servers

package servers

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// relay forwards the requests of a proxy to a server, and holds each one back until the test releases it.
type relay struct {
	listener net.Listener
	server   string
	// arrived gets the requests that the relay holds. Without it, the relay holds none.
	arrived chan<- *heldRequest
	// requests counts the requests that the relay has forwarded.
	requests atomic.Int64
	// mute relays do not forward responses.
	mute atomic.Bool
	// responses gets a value for each response that a mute relay has kept.
	responses chan struct{}
}

// heldRequest is a request that waits in a relay.
type heldRequest struct {
	relay   *relay
	line    string
	release chan struct{}
}

// startRelay listens on loopback until the test ends.
func startRelay(t testing.TB, server string, arrived chan<- *heldRequest) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	r := &relay{listener: listener, server: server, arrived: arrived, responses: make(chan struct{}, 16)}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go r.serve(connection)
		}
	}()
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

// serve forwards the requests of one connection until one of its ends closes.
func (r *relay) serve(proxy net.Conn) {
	defer proxy.Close()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer proxy.Close()
		r.respond(proxy, server)
	}()
	for requests := bufio.NewReader(proxy); ; {
		request, err := readRequest(requests)
		if err != nil {
			return
		}
		line, _, _ := strings.Cut(request, "\r\n")
		if !isCheck(line) {
			if r.arrived != nil {
				held := &heldRequest{relay: r, line: line, release: make(chan struct{})}
				r.arrived <- held
				<-held.release
			}
			r.requests.Add(1)
		}
		if _, err := io.WriteString(server, request); err != nil {
			return
		}
	}
}

// isCheck reports whether a proxy checks a new connection, or whether a key moves. How often it does depends on time.
func isCheck(line string) bool {
	words := strings.Fields(line)
	return line == "version" || words[0] == "me" && len(words) > 2 && words[len(words)-1] == "k"
}

// respond forwards responses as they come.
func (r *relay) respond(proxy, server net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		if r.mute.Load() {
			r.responses <- struct{}{}
			continue
		}
		if _, err := proxy.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// valueAt has the position of the size of the value in the commands that send one.
var valueAt = map[string]int{"ms": 2, "set": 4, "add": 4, "replace": 4, "append": 4, "prepend": 4, "cas": 4}

// readRequest reads a line, and the value that follows it.
func readRequest(from *bufio.Reader) (string, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return "", err
	}
	words := strings.Fields(line)
	if len(words) == 0 || len(words) <= valueAt[words[0]] || valueAt[words[0]] == 0 {
		return line, nil
	}
	size, err := strconv.Atoi(words[valueAt[words[0]]])
	if err != nil {
		return "", err
	}
	value := make([]byte, size+2)
	_, err = io.ReadFull(from, value)
	return line + string(value), err
}
