package process

import (
	"net"
	"testing"
)

// TestFreeAddress asks for more addresses than a test uses: of two servers with the same address, only one starts.
func TestFreeAddress(t *testing.T) {
	seen := map[string]bool{}
	for range 2000 {
		address, err := FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		if seen[address] {
			t.Fatalf("%s was returned twice", address)
		}
		seen[address] = true
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatalf("a returned address must be free: %v", err)
		}
		listener.Close()
	}
}
