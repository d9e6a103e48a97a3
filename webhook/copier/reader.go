package copier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

const (
	// maxBytes limits the items that are read at the same time, because a proxy has a value in its memory several times while it moves
	// the item.
	maxBytes = 2 << 20
	// Opaque marks reads for the routes: they return SERVER_ERROR until it is certain that an item has moved, is missing, or cannot move.
	Opaque = "memcached-operator-copy"
	// moving is the response to Opaque as a key of proxies that move what they read.
	moving = "SERVER_ERROR warming"
	// calm is how many reads without SERVER_ERROR in a row show that all servers respond to the proxies again.
	calm = 1000
)

var (
	// errBusy reports that some reads got SERVER_ERROR.
	errBusy = errors.New("the proxies cannot reach a server, or other commands use the same key")
	// errUnreadable reports that the proxies do not respond to a read.
	errUnreadable = errors.New("the proxies do not respond")
)

// reader reads items through the proxies, some at a time.
type reader struct {
	Config
	interval  time.Duration // between two items
	proxy     *client.Conn  // nil if there is no connection
	reads     [][]byte      // keys that the proxies have not responded to, in the form in which clients send them
	next      time.Time     // when the next item may be read
	impatient bool          // whether a server does not respond to the proxies for so long that reads do not wait for it anymore
	inARow    int           // reads since the last SERVER_ERROR
	// How many items the proxies have read, how many of them they did not find, and how many did not move.
	done, notFound, left int
}

// read reads items that move. Stale ones do not.
func (r *reader) read(ctx context.Context, server *client.Conn, items []item) error {
	if err := giveBack(server, items); err != nil {
		return err
	}
	for _, each := range items {
		if !each.stale && (r.Servers == 0 || ServerOf(each.key, r.Servers) != r.Index) {
			r.reads = append(r.reads, each.key)
		}
	}
	return r.flush(ctx)
}

// flush returns when the proxies have responded to all reads.
func (r *reader) flush(ctx context.Context) error {
	if now := time.Now(); r.next.Before(now) {
		r.next = now
	}
	r.next = r.next.Add(time.Duration(len(r.reads)) * r.interval)
	progress, failures := time.Now(), 0
	for len(r.reads) > 0 {
		before := len(r.reads)
		err := r.exchange(ctx)
		if err == nil {
			break
		}
		r.close() // the next connection may be to another proxy
		if len(r.reads) < before {
			progress, failures = time.Now(), 0
		}
		late := time.Since(progress) > r.Patience
		if errors.Is(err, errBusy) {
			r.impatient = r.impatient || late
			if r.impatient && failures > 0 {
				r.left += len(r.reads)
				r.reads = nil
				break
			}
		} else if late {
			return fmt.Errorf("%w to %.*q: %w", errUnreadable, client.MaxKey, r.reads[0], err)
		}
		r.Logger.Warn("Reading again.", "items", len(r.reads), "error", err)
		if failures++; failures == 1 {
			continue
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return sleep(ctx, time.Until(r.next))
}

// commands returns the commands of all reads. With u, an item remains where it is in the LRU of its server. With c, an item without a
// value costs the proxy one request less.
func (r *reader) commands() []byte {
	var text []byte
	for _, key := range r.reads {
		text = fmt.Appendf(text, "mg %s u c O%s\r\n", key, Opaque)
	}
	return text
}

// exchange sends all reads, and removes those that got a response.
func (r *reader) exchange(ctx context.Context) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	if _, err := r.proxy.Write(r.commands()); err != nil {
		return err
	}
	var again [][]byte
	for len(r.reads) > 0 {
		line, err := r.proxy.ReadLine()
		if err == nil && !isResponse(line) { // those of the other reads may be no responses either
			err = fmt.Errorf("the proxies respond with %.200q", line)
		}
		if err != nil {
			r.reads = append(r.reads, again...)
			return err
		}
		if bytes.HasPrefix(line, []byte("SERVER_ERROR")) {
			again = append(again, r.reads[0])
			r.inARow = 0
		} else {
			r.responded(line)
		}
		r.reads = r.reads[1:]
	}
	if r.reads = again; len(again) > 0 {
		return errBusy
	}
	return nil
}

// responded counts a response that is no error.
func (r *reader) responded(line []byte) {
	if bytes.HasPrefix(line, []byte("EN")) {
		r.notFound++
	}
	r.done++
	if r.inARow++; r.inARow == calm {
		r.impatient = false
	}
}

// isResponse reports whether a proxy responds so to mg, also if the read failed.
func isResponse(line []byte) bool {
	code, _, _ := bytes.Cut(line, []byte(" "))
	return string(code) == "HD" || string(code) == "EN" || string(code) == "SERVER_ERROR"
}

// connect connects to a proxy that moves items, unless there is a connection. Another target would respond to all reads, so that the
// copy would be complete without a move.
func (r *reader) connect(ctx context.Context) error {
	if r.proxy != nil {
		return nil
	}
	connection, err := client.Dial(ctx, r.Through, client.Config{Timeout: timeout})
	if err != nil {
		return err
	}
	line, err := connection.Command("mg " + Opaque + " O" + Opaque)
	if err == nil && string(line) != moving {
		err = fmt.Errorf("%s is not a proxy that moves items: it responds with %.200q", r.Through, line)
	}
	if err != nil {
		_ = connection.Close()
		return err
	}
	r.proxy = connection
	return nil
}

func (r *reader) close() {
	if r.proxy != nil {
		_ = r.proxy.Close()
		r.proxy = nil
	}
}
