// Package loopback starts the servers of tests.
package loopback

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// Serve starts a server until the end of the test, and returns its address. Each connection is closed after serve.
func Serve(t testing.TB, serve func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				serve(connection)
			}()
		}
	}()
	return listener.Addr().String()
}

// Lines returns a function for [Serve] that responds to each line.
func Lines(respond func(line string) string) func(net.Conn) {
	return func(connection net.Conn) {
		for lines := bufio.NewScanner(connection); lines.Scan(); {
			if _, err := io.WriteString(connection, respond(lines.Text())); err != nil {
				return
			}
		}
	}
}
