package clients

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// front is the address of a Service: it forwards each connection to one of the proxies that are ready.
type front struct {
	address string

	mutex    sync.Mutex
	listener net.Listener
	proxies  []string
}

func startFront(t *testing.T) *front {
	t.Helper()
	f := &front{address: "127.0.0.1:0"}
	f.open(t)
	t.Cleanup(func() { f.listener.Close() })
	return f
}

// open accepts connections. A Service without proxies that are ready accepts none.
func (f *front) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		t.Fatal(err)
	}
	f.listener, f.address = listener, listener.Addr().String()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go f.forward(connection)
		}
	}()
}

func (f *front) set(proxies ...string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.proxies = proxies
}

func (f *front) any() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.proxies[rand.IntN(len(f.proxies))]
}

// forward copies both directions until one end closes.
func (f *front) forward(client net.Conn) {
	defer client.Close()
	proxy, err := net.Dial("tcp", f.any())
	if err != nil {
		return
	}
	defer proxy.Close()
	go func() {
		defer proxy.Close()
		_, _ = io.Copy(proxy, client) // the other direction ends too
	}()
	_, _ = io.Copy(client, proxy)
}
