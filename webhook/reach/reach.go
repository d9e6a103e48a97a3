// Package reach finds out whether a proxy reaches a server: the startup probe of proxies.
package reach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/example/memcached-operator/webhook/copier"
	"github.com/example/memcached-operator/webhook/memcached/client"
)

const (
	// reads is how many keys are read at the same time. Each belongs to another server, as far as there are so many.
	reads = 64
	pause = 100 * time.Millisecond
)

// Wait returns no error once a server has responded to a read through a proxy. It reads other keys until the context ends, because any
// number of servers may be down.
func Wait(ctx context.Context, proxy string) error {
	for key := rand.Uint32(); ; key += reads {
		last := read(ctx, proxy, key)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the proxy cannot reach any server: %w", last)
		case <-time.After(pause):
		}
	}
}

// read reads keys as the Job of a move does: a proxy responds with an error unless all servers that may have the key have responded. It
// would respond to other reads as if the key were missing.
func read(ctx context.Context, proxy string, first uint32) error {
	connection, err := client.Dial(ctx, proxy, client.Config{Timeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer connection.Close()
	var commands []byte
	for i := range uint32(reads) {
		commands = fmt.Appendf(commands, "mg memcached-operator-reach-%d O%s\r\n", first+i, copier.Opaque)
	}
	if _, err := connection.Write(commands); err != nil {
		return err
	}
	for range reads {
		line, err := connection.ReadLine()
		switch {
		case err != nil:
			return err
		case bytes.HasPrefix(line, []byte("EN")):
			return nil
		case !bytes.HasPrefix(line, []byte("SERVER_ERROR")):
			return fmt.Errorf("it responds with %.200q", line)
		}
	}
	return errors.New("it responds with SERVER_ERROR for all keys")
}
