package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/grobie/gomemcache/memcache"
)

// load is what the clients of a cache do.
type load struct {
	readsPerSecond int
	// keys have a Zipf distribution: few keys get most of the reads.
	keys                  uint64
	minBytes, spreadBytes int
}

// run reads keys until the context ends, and stores those that miss, as applications do.
func (l load) run(ctx context.Context, client *memcache.Client) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.05, 10, l.keys)
	value := make([]byte, l.minBytes+l.spreadBytes)
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for start, read := time.Now(), 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		// After a pause of this process, it also does the reads that it missed.
		for due := int(time.Since(start).Seconds() * float64(l.readsPerSecond)); read < due && ctx.Err() == nil; read++ {
			key := fmt.Sprintf("item:%d", zipf.Uint64())
			if _, err := client.Get(key); errors.Is(err, memcache.ErrCacheMiss) {
				_ = client.Set(&memcache.Item{Key: key, Value: value[:l.minBytes+random.IntN(l.spreadBytes)]})
			}
		}
	}
}

// newClient returns a client of the servers of a cache.
func newClient(servers []*server) (*memcache.Client, error) {
	var addresses []string
	for _, server := range servers {
		addresses = append(addresses, server.address)
	}
	return memcache.New(addresses...)
}

// sync sends a golden request to the operator every interval until the context ends, as Metacontroller does.
func (o *Operator) sync(ctx context.Context, interval time.Duration) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		_ = o.Sync()
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// Sync sends a golden request to the operator.
func (o *Operator) Sync() error {
	request, err := os.ReadFile(filepath.Join(Golden, "memcached/sync/created/request.json"))
	if err != nil {
		return err
	}
	response, err := http.Post("http://"+o.Address+"/memcached/sync", "application/json", bytes.NewReader(request))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the operator returned %s: %s", response.Status, body)
	}
	return err
}
