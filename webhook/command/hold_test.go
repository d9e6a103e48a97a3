package command_test

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// TestHoldSignal checks that SIGTERM ends the sidecar with exit code 0, also during a hold: the kubelet sends it after memcached has ended.
func TestHoldSignal(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	cmd := program(t, "hold", "--address", address, "--memcached", address, "--grace", "1m")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var connection net.Conn
	for deadline := time.Now().Add(30 * time.Second); connection == nil; {
		if connection, err = new(net.Dialer).DialContext(t.Context(), "tcp", address); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("want exit code 0, got %v", err)
	}
}
