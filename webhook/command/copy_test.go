package command_test

import (
	"bufio"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestCopySignal checks that a copy that is stopped does not exit with 1: nothing has failed if its node is drained.
func TestCopySignal(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // or the program ignores the signal if this one was started with nohup
	defer signal.Stop(signals)
	for _, each := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(each.String(), func(t *testing.T) { stopCopy(t, each) })
	}
}

func stopCopy(t *testing.T, with os.Signal) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() // nothing responds
	cmd := program(t, "copy", "--from", listener.Addr().String(), "--through", listener.Addr().String())
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() {
		t.Fatal("the copy logs nothing")
	}
	if err := cmd.Process.Signal(with); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Log(lines.Text())
	}
	if code := exitCode(t, cmd.Wait()); code != 143 {
		t.Errorf("the exit code is %d, want 143", code)
	}
}
