package copier

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
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
	interval    time.Duration // between two items
	proxy       *client.Conn  // nil if there is no connection
	interrupted bool          // whether a proxy ended
	missing     bool          // whether the proxies did not find many items that the server had
	notFound    int           // how many items of this listing the proxies did not find
	lookups     bytes.Buffer  // commands for listed keys
	listed      int           // number of lookups
	reads       []read        // those that the proxies have not responded to
	next        time.Time     // when the next item may be read
	done        int
}

// read is the read of a key, in the form in which clients send it.
type read struct {
	key []byte
	// owned reports whether the item has an owner that has ended. It must be taken from the owner first.
	owned bool
	taken int // how often that happened
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
		if key, found := bytes.CutPrefix(line, []byte("HD k")); found {
			r.reads = append(r.reads, read{key: bytes.Clone(key)})
		} else if string(line) != "EN" {
			return fmt.Errorf("the server responds %q", line)
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
		r.interrupted = true
		if attempts++; attempts > maxAttempts {
			return fmt.Errorf("%w to %q: %w", errUnreadable, r.reads[0].key, err)
		}
		r.Logger.Warn("Reading again.", "error", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return sleep(ctx, time.Until(r.next))
}

// commands returns the commands of all reads. With u, an item remains where it is in the LRU of its server. With c, the response shows
// an owner, and an item without a value costs the proxy one request less. A proxy takes an item from an owner that has ended when a
// client changes the item: here with a delete that never applies. The read follows after its response, because proxies execute the
// commands of a connection at the same time.
func (r *reader) commands() []byte {
	var text []byte
	for _, each := range r.reads {
		if each.owned {
			text = fmt.Appendf(text, "md %s C%d\r\n", each.key, never)
		} else {
			text = fmt.Appendf(text, "mg %s u c\r\n", each.key)
		}
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
	var again []read
	busy, sent, missing := false, len(r.reads), 0
	for len(r.reads) > 0 {
		line, err := r.proxy.ReadLine()
		if err != nil {
			r.reads = append(r.reads, again...)
			return err
		}
		switch each := r.reads[0]; {
		case !isResponse(line): // those of the other reads may be no responses either
			r.reads = append(r.reads, again...)
			return fmt.Errorf("the proxies respond %q", line)
		case bytes.HasPrefix(line, []byte("SERVER_ERROR")): // many clients change this item at the same time
			busy, again = true, append(again, each)
		case each.owned:
			again = append(again, read{each.key, false, each.taken + 1})
		case unique(line) >= owned && each.taken < maxAttempts:
			again = append(again, read{each.key, true, each.taken})
		default:
			r.done++
			if bytes.HasPrefix(line, []byte("EN")) {
				missing++
			}
		}
		r.reads = r.reads[1:]
	}
	r.notFound += missing
	r.missing = r.missing || missing*8 > sent && missing > 1
	if r.reads = again; busy {
		return errors.New("the proxies are busy")
	}
	return nil
}

// isResponse reports whether a proxy responds so to mg or md, also if the read failed.
func isResponse(line []byte) bool {
	code, _, _ := bytes.Cut(line, []byte(" "))
	switch string(code) {
	case "HD", "EN", "NF", "EX", "NS", "SERVER_ERROR":
		return true
	}
	return false
}

// unique returns the CAS unique in a response; 0 if there is none.
func unique(line []byte) uint64 {
	text, _ := bytes.CutPrefix(line, []byte("HD c"))
	number, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return number
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
