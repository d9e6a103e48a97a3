package copier

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// maxAttempts is how often a proxy may not respond to the same read, although it accepts connections.
const maxAttempts = 10

// errUnreadable reports a key that the proxies do not respond to.
var errUnreadable = errors.New("the proxies do not respond")

// reader reads items through the proxies, some at a time.
type reader struct {
	Config
	interval time.Duration // between two items
	proxy    *client.Conn  // nil if there is no connection
	lookups  bytes.Buffer  // commands for listed keys
	listed   int           // number of lookups
	reads    [][]byte      // commands that the proxies have not responded to
	next     time.Time     // when the next item may be read
	read     int
}

// add reads a listed item, together with others.
func (r *reader) add(ctx context.Context, server *client.Conn, key []byte) error {
	r.lookups.WriteString("mg ")
	if bytes.ContainsAny(key, " \r\n\x00") {
		r.lookups.Write(base64.StdEncoding.AppendEncode(r.lookups.AvailableBuffer(), key))
		r.lookups.WriteString(" b")
	} else {
		r.lookups.Write(key)
	}
	r.lookups.WriteString(" u k\r\n")
	if r.listed++; r.listed < r.InFlight {
		return nil
	}
	return r.flush(ctx, server)
}

// lookUp asks the server in which form clients send the listed keys: as text or in base64, which a listing with ages does not say.
// A proxy distributes the same key in another form differently, and could move the item to a wrong server.
func (r *reader) lookUp(server *client.Conn) error {
	r.reads = r.reads[:0]
	if _, err := server.Write(r.lookups.Bytes()); err != nil {
		return err
	}
	for ; r.listed > 0; r.listed-- {
		line, err := server.ReadLine()
		if err != nil {
			return err
		}
		// With u, the item remains where it is in the LRU of its server. With c, an item without a value costs the proxy one
		// request less.
		if key, found := bytes.CutPrefix(line, []byte("HD k")); found {
			r.reads = append(r.reads, fmt.Appendf(nil, "mg %s u c\r\n", key))
		}
	}
	r.lookups.Reset()
	return nil
}

// flush returns when the proxies have responded to the reads of all listed items.
func (r *reader) flush(ctx context.Context, server *client.Conn) error {
	if err := r.lookUp(server); err != nil {
		return err
	}
	if now := time.Now(); r.next.Before(now) {
		r.next = now
	}
	r.next = r.next.Add(time.Duration(len(r.reads)) * r.interval)
	for attempts := 0; len(r.reads) > 0; {
		before := len(r.reads)
		err := r.exchange(ctx)
		if len(r.reads) < before {
			attempts = 0
		}
		if err == nil {
			continue
		}
		r.close()
		if attempts++; attempts > maxAttempts {
			return fmt.Errorf("%w to %q: %w", errUnreadable, bytes.TrimSpace(r.reads[0]), err)
		}
		r.Logger.Warn("Reading again.", "error", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return sleep(ctx, time.Until(r.next))
}

// exchange sends all reads, and removes those that got a response.
func (r *reader) exchange(ctx context.Context) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	if _, err := r.proxy.Write(bytes.Join(r.reads, nil)); err != nil {
		return err
	}
	var again [][]byte
	for len(r.reads) > 0 {
		line, err := r.proxy.ReadLine()
		if err != nil {
			r.reads = append(r.reads, again...)
			return err
		}
		if bytes.HasPrefix(line, []byte("SERVER_ERROR")) { // many clients change this item at the same time
			again = append(again, r.reads[0])
		} else {
			r.read++
		}
		r.reads = r.reads[1:]
	}
	if r.reads = again; len(again) > 0 {
		return errors.New("the proxies are busy")
	}
	return nil
}

// connect connects to a proxy, unless there is a connection. It waits for the proxies.
func (r *reader) connect(ctx context.Context) error {
	for r.proxy == nil {
		connection, err := client.Dial(ctx, r.Through, client.Config{Timeout: timeout})
		if err == nil {
			r.proxy = connection
			return nil
		}
		r.Logger.Warn("No proxy accepts the connection.", "error", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) close() {
	if r.proxy != nil {
		_ = r.proxy.Close()
		r.proxy = nil
	}
}
