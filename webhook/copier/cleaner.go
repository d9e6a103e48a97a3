package copier

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// cleanBatch is how many items are looked up, and deleted, with one request.
const cleanBatch = 256

// CleanConfig is what to clean.
type CleanConfig struct {
	// Server is the host:port of a server. It keeps the items that proxies distribute to the server with this index, of so many servers.
	// It keeps none if Of is 0: the proxies do not use this server.
	Server    string
	Index, Of int
	// Patience limits how long Clean waits for the server.
	Patience time.Duration
	Logger   *slog.Logger
}

// Check returns an error for an invalid configuration.
func (c *CleanConfig) Check() error {
	switch {
	case c.Server == "":
		return errors.New("clean requires --server: set the host:port of the server")
	case !isHostPort(c.Server):
		return fmt.Errorf("--server %q must be host:port", c.Server)
	case c.Of < 0:
		return errors.New("clean requires --of: set the number of servers that keys are distributed to")
	case c.Index < 0 || c.Of > 0 && c.Index >= c.Of:
		return fmt.Errorf("--index %d must be at least 0 and less than %d, the value of --of", c.Index, c.Of)
	case c.Patience <= 0:
		return errors.New("--patience must be greater than 0")
	}
	return nil
}

// Clean deletes the items of a server that proxies look for on another one. An earlier change can leave such items behind. Nobody may
// write them: if one is not the listed one anymore, Clean keeps it and lists the items again.
//
// Items that were used since Clean began are not such items, and stay. A node that does not respond for some minutes can run Clean on when
// another one has replaced it, and clients use the server again.
func Clean(ctx context.Context, c CleanConfig) error {
	start, listed, deleted := time.Now(), 0, 0
	s := &source{address: c.Server, patience: c.Patience, logger: c.Logger, batch: cleanBatch, batchBytes: maxBytes}
	isForeign := func(each item) bool { return c.Of == 0 || ServerOf(each.key, c.Of) != c.Index }
	err := s.list(ctx, "all items", func(server *client.Conn) error {
		listed = 0
		last, err := lastUse(server, start)
		if err != nil {
			return err
		}
		selects := func(each client.Item) bool { listed++; return each.Accessed <= last }
		return s.walk(ctx, server, client.ByHash, selects, func(server *client.Conn, items []item) error {
			var commands bytes.Buffer
			for _, each := range items {
				if isForeign(each) {
					fmt.Fprintf(&commands, "md %s C%d q\r\n", each.key, each.unique)
				}
			}
			if response, err := runQuiet(server, &commands); err != nil || response != "" {
				return cmp.Or(err, fmt.Errorf("the server responds with %.200q to a deletion", response))
			}
			own := slices.DeleteFunc(items, isForeign)
			deleted += len(items) - len(own)
			return giveBack(server, own)
		})
	})
	if err != nil {
		return fmt.Errorf("clean %s, which is server %d of %d: %w", c.Server, c.Index, c.Of, err)
	}
	c.Logger.Info("The server is clean.", "listed", listed, "deleted", deleted, "seconds", int(time.Since(start).Seconds()))
	return nil
}

// lastUse returns the time at which Clean began, by the clock of the server. Its times are whole seconds.
func lastUse(server *client.Conn, start time.Time) (int64, error) {
	stats, err := server.Stats("")
	if err != nil {
		return 0, err
	}
	now, err := strconv.ParseInt(stats["time"], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the time of the server: %w", err)
	}
	const margin = 2
	return now - int64(time.Since(start).Seconds()) + margin, nil
}

// ServerOf returns the index of the server to which proxies distribute a key: a jump hash of XXH3 of the key as clients send it.
//
// https://github.com/memcached/memcached/blob/1.6.45/proxy_jump_hash.c
func ServerOf(key []byte, servers int) int {
	key, _, _ = bytes.Cut(key, []byte(" ")) // without the flag for base64
	hash, server, next := xxh3.Hash(key), int64(-1), int64(0)
	for next < int64(servers) {
		server = next
		hash = hash*2862933555777941757 + 1
		next = int64(float64(server+1) * (float64(1<<31) / float64(hash>>33+1)))
	}
	return int(server)
}
