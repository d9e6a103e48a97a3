//go:build servers

package servers

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestMemoryStaysUnderTheLimit fills a cache with items of one size, and then stores items of every size. This is the worst
// case: -m bytes of items, and one more page for each size class. The memory usage must stay below the container's limit.
func TestMemoryStaysUnderTheLimit(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		// valueBytes is the size of the values that fill the cache.
		valueBytes  int
		connections int
	}{
		{"the default, with small items", v1alpha1.MemcachedSpec{}, 100, 1},
		{"the default, with larger items and many clients", v1alpha1.MemcachedSpec{}, 10_000, 500},
		{"a limit of 128Mi", v1alpha1.MemcachedSpec{Resources: limitedTo("128Mi")}, 1000, 1},
		{"a limit of 70Mi", v1alpha1.MemcachedSpec{Resources: limitedTo("70Mi")}, 100, 1},
		{"as many size classes as possible", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-f", "1.08"}}}, 100, 1},
		{"256 MiB of items", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Memory: new(resource.MustParse("256Mi"))}}, 1000, 1},
	}
	for _, test := range cases {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.Size = new(int32(1))
			c := container(t, test.spec)
			s := start(t, c, "")
			for range test.connections {
				s.connect(t)
			}
			maxBytes, err := strconv.Atoi(s.stats(t, "stats settings")["maxbytes"])
			if err != nil {
				t.Fatal(err)
			}
			s.fill(t, maxBytes*5/4/test.valueBytes, test.valueBytes)
			stats := s.stats(t, "stats")
			if stats["evictions"] == "0" {
				t.Fatalf("the cache is not full: %s of %d bytes", stats["bytes"], maxBytes)
			}
			for size := 50; size < 1_000_000; size = size*21/20 + 1 { // every size class with a growth factor of 1.08
				s.fill(t, max(1_000_000/size, 10), size)
			}
			peak, limit := s.peakMiB(t), c.Resources.Limits.Memory().Value()>>20
			t.Logf("%d MiB of items: peak %d MiB, limit %d MiB", maxBytes>>20, peak, limit)
			if peak > limit {
				t.Errorf("memcached used %d MiB, more than its limit of %d MiB", peak, limit)
			}
		})
	}
}

// connect opens a connection and leaves it idle.
func (s server) connect(t *testing.T) net.Conn {
	t.Helper()
	connection, err := net.DialTimeout("tcp", s.address, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// fill stores the given number of items, and returns when all are stored.
func (s server) fill(t *testing.T, items, valueBytes int) {
	t.Helper()
	connection := s.connect(t)
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	writer := bufio.NewWriterSize(connection, 1<<20)
	value := make([]byte, valueBytes)
	for i := range value {
		value[i] = 'x'
	}
	for i := range items {
		fmt.Fprintf(writer, "set %d-%d 0 0 %d noreply\r\n%s\r\n", valueBytes, i, valueBytes, value)
	}
	fmt.Fprint(writer, "version\r\n")
	if err := writer.Flush(); err != nil {
		t.Fatalf("setting %d items of %d bytes: %v", items, valueBytes, err)
	}
	if _, err := bufio.NewReader(connection).ReadString('\n'); err != nil {
		t.Fatalf("setting %d items of %d bytes: %v", items, valueBytes, err)
	}
	connection.Close()
}
