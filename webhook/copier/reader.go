package copier

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// opaque marks reads for the routes: they return SERVER_ERROR until it is certain that an item has moved, is missing, or cannot move.
const opaque = "memcached-operator-copy"

// errBusy reports that some reads got SERVER_ERROR.
var errBusy = errors.New("the proxies do not reach a server, or find other commands at the same key")

// reader reads items through the proxies, some at a time.
type reader struct {
	Config
	interval  time.Duration // between two items
	proxy     *client.Conn  // nil if there is no connection
	lookups   bytes.Buffer  // commands for listed keys
	listed    int           // number of lookups
	reads     [][]byte      // keys that the proxies have not responded to, in the form in which clients send them
	next      time.Time     // when the next item may be read
	impatient bool          // whether a server did not respond to the proxies for so long that reads do not wait for it anymore
	// How many items the proxies have read, how many of them they did not find, and how many did not move.
	done, notFound, left int
}

// add reads a listed item, together with others.
func (r *reader) add(ctx context.Context, server *client.Conn, key []byte) error {
	if bytes.ContainsAny(key, " \r\n\x00") { // as text, this is no key
		r.reads = append(r.reads, append(base64.StdEncoding.AppendEncode(nil, key), " b"...))
	} else {
		fmt.Fprintf(&r.lookups, "mg %s u k c\r\n", key)
		r.listed++
	}
	if r.listed+len(r.reads) < r.InFlight {
		return nil
	}
	return r.flush(ctx, server)
}

// lookUp asks the server in which form clients send the listed keys: as text or in base64, which a listing with ages does not say.
// A proxy distributes the same key in another form differently, and could move the item to a wrong server. Stale items do not move.
func (r *reader) lookUp(server *client.Conn) error {
	if _, err := server.Write(r.lookups.Bytes()); err != nil {
		return err
	}
	var wins bytes.Buffer
	for ; r.listed > 0; r.listed-- {
		line, err := server.ReadLine()
		if err != nil {
			return err
		}
		switch item := parse(line); {
		case item.key == nil && !bytes.HasPrefix(line, []byte("EN")): // with k, the response for a missing item has the key too
			return fmt.Errorf("the server responds %q", line)
		case item.won:
			fmt.Fprintf(&wins, "md %s I C%d q\r\n", item.key, item.unique)
		case item.key != nil && !item.stale:
			r.reads = append(r.reads, item.key)
		}
	}
	r.lookups.Reset()
	return giveBack(server, &wins)
}

// giveBack gives the W of stale items, which lookups have taken, to the next client.
func giveBack(server *client.Conn, wins *bytes.Buffer) error {
	if wins.Len() == 0 {
		return nil
	}
	wins.WriteString("mn\r\n")
	if _, err := server.Write(wins.Bytes()); err != nil {
		return err
	}
	for {
		if line, err := server.ReadLine(); err != nil || string(line) == "MN" {
			return err
		}
	}
}

// lookup is the response to a lookup.
type lookup struct {
	key    []byte // as clients send it; nil if the item is missing
	unique uint64
	// stale reports whether a client is about to store the item again, and won whether the server takes the copier for this client.
	stale, won bool
}

var lookupLine = regexp.MustCompile(`^HD k(\S+( b)?) c(\d+)(?: ([WXZ ]+))?$`)

// parse reads the response to a lookup. memcached forgets the form of an item that has an owner, whose CAS unique has it instead.
func parse(line []byte) (item lookup) {
	words := lookupLine.FindSubmatch(line)
	if words == nil {
		return item
	}
	item.key = bytes.Clone(words[1])
	item.unique, _ = strconv.ParseUint(string(words[3]), 10, 64)
	item.stale, item.won = words[4] != nil, bytes.Contains(words[4], []byte("W"))
	if item.unique >= owned && item.unique != moved && item.unique&1 == 1 && words[2] == nil {
		item.key = append(base64.StdEncoding.AppendEncode(nil, item.key), " b"...)
	}
	return item
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
		r.impatient = r.impatient || time.Since(progress) > r.Patience
		switch {
		case r.impatient && errors.Is(err, errBusy):
			r.left += len(r.reads)
			r.reads = nil
			continue
		case r.impatient:
			return fmt.Errorf("%w to %q: %w", errUnreadable, r.reads[0], err)
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
		text = fmt.Appendf(text, "mg %s u c O%s\r\n", key, opaque)
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
			err = fmt.Errorf("the proxies respond %q", line)
		}
		if err != nil {
			r.reads = append(r.reads, again...)
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("SERVER_ERROR")):
			again = append(again, r.reads[0])
		case bytes.HasPrefix(line, []byte("EN")):
			r.notFound++
			r.done++
		default:
			r.done++
		}
		r.reads = r.reads[1:]
	}
	if r.reads = again; len(again) > 0 {
		return errBusy
	}
	return nil
}

// isResponse reports whether a proxy responds so to mg, also if the read failed.
func isResponse(line []byte) bool {
	code, _, _ := bytes.Cut(line, []byte(" "))
	return string(code) == "HD" || string(code) == "EN" || string(code) == "SERVER_ERROR"
}

// connect connects to a proxy, unless there is a connection.
func (r *reader) connect(ctx context.Context) error {
	if r.proxy != nil {
		return nil
	}
	connection, err := client.Dial(ctx, r.Through, client.Config{Timeout: timeout})
	if err == nil {
		r.proxy = connection
	}
	return err
}

func (r *reader) close() {
	if r.proxy != nil {
		_ = r.proxy.Close()
		r.proxy = nil
	}
}
