package clients

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// driver is a running driver. It prints the version of the library first. Then it reads requests as lines,
//
//	[client, operation, argument, …]
//
// and prints one response for each, in JSON: the value, null for a missing item, or what the library returns or throws. The operation new
// replaces both clients, 0 and 1. The driver does not wait for the response of the server to an operation that ends with "!", if the library
// can do that.
type driver struct {
	version string
	input   io.WriteCloser
	output  *bufio.Reader
	kill    func()
	errors  strings.Builder
}

// responseTimeout limits how long a driver may take for a response. Libraries give up earlier.
const responseTimeout = 15 * time.Second

func startDriver(t *testing.T, l library, addresses ...string) *driver {
	t.Helper()
	cmd := l.program(addresses...)
	d := &driver{}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &d.errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.input, d.output = input, bufio.NewReaderSize(output, 1<<20)
	d.kill = sync.OnceFunc(func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		d.kill()
		_ = cmd.Wait()
	})
	if d.version, err = d.line(); err != nil {
		t.Fatalf("%s: %v\n%s", l.name, err, d.errors.String())
	}
	return d
}

// line reads a line. It kills the driver if that takes too long.
func (d *driver) line() (string, error) {
	timer := time.AfterFunc(responseTimeout, d.kill)
	defer timer.Stop()
	line, err := d.output.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the driver ended, or did not respond within %s: %w", responseTimeout, err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// do sends requests without waiting in between, and returns the responses.
func (d *driver) do(requests ...[]any) ([]any, error) {
	go func() { // concurrently, because the pipe holds neither all requests nor all responses
		encoder := json.NewEncoder(d.input)
		for _, request := range requests {
			_ = encoder.Encode(request) // fails when the driver has ended; then reading fails too
		}
	}()
	var all []any
	for range requests {
		line, err := d.line()
		if err != nil {
			return all, err
		}
		var response any
		if err := json.Unmarshal([]byte(line), &response); err != nil {
			return all, fmt.Errorf("response %q: %w", line, err)
		}
		all = append(all, response)
	}
	return all, nil
}
