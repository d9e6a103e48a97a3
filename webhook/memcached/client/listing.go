package client

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Item is a line of a listing.
type Item struct {
	// Key is valid until the next item.
	Key []byte
	// Expires and Accessed are Unix times. Expires is -1 without a TTL. memcached does not update Accessed at each access.
	Expires, Accessed int64
	CAS               uint64
	// Fetched reports whether a client got the item since it was stored.
	Fetched bool
	// Class is the slab class. Size is the size in bytes with key and header, on flash as well as in memory.
	Class, Size int
	Flags       uint64
	// Flash reports whether the value is on flash.
	Flash bool
}

// ErrBusy reports that the server lists items for another client, or crawls them.
var ErrBusy = errors.New("memcached is busy with another listing or crawl")

// Order is the order of a listing: an argument of "lru_crawler metadump".
type Order string

const (
	// ByHash lists all items that exist for the whole time. Each part is an unbiased sample of them.
	ByHash Order = "hash"
	// ByUse lists each LRU of a slab class from the item that it evicts first. It skips items that are in use at this moment.
	ByUse Order = "all"
)

// Items calls each for the items of a server. Versions that do not know [ByHash] list [ByUse]. If each returns false, the listing ends
// and the connection is closed.
//
// While another client lists items and does not read them, memcached 1.6.45 blocks a whole thread for each further listing. So Items
// returns [ErrBusy] without a request if the statistics have a crawl that runs.
func (c *Conn) Items(order Order, each func(Item) bool) error {
	err := c.awaitCrawler()
	if err == nil {
		err = c.list(order, each)
	}
	if refusal, ok := errors.AsType[*refusal](err); ok && bytes.HasPrefix(refusal.line, []byte("BADCLASS")) {
		err = c.list(ByUse, each)
	}
	if err != nil {
		err = fmt.Errorf("lru_crawler metadump: %w", err)
	}
	return err
}

// awaitCrawler returns ErrBusy if a crawl runs for longer than 100 ms: after the end of a listing, it runs for a moment.
func (c *Conn) awaitCrawler() error {
	for range 10 {
		stats, err := c.Stats("")
		if err != nil || stats["lru_crawler_running"] != "1" {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ErrBusy
}

// refusal is the response of a server that does not list its items.
type refusal struct{ line []byte }

// ErrRefused reports that a server does not list its items, for example because of its flag -X.
var ErrRefused = errors.New("memcached does not list its items")

// Is makes a refusal an [ErrRefused].
func (r *refusal) Is(target error) bool { return target == ErrRefused }

func (r *refusal) Error() string { return fmt.Sprintf("memcached responds with %.200q", r.line) }

func (c *Conn) list(order Order, each func(Item) bool) error {
	var item Item
	line, err := c.Command("lru_crawler metadump " + string(order))
	for ; err == nil; line, err = c.ReadLine() {
		switch {
		case parseItem(line, &item):
			if !each(item) {
				return c.Close()
			}
		case string(line) == "END":
			return nil
		case string(line) == "OK", len(line) == 0: // some versions begin with OK
		case bytes.HasPrefix(line, []byte("BUSY")), bytes.Contains(line, []byte("locked try again later")):
			return ErrBusy
		default:
			return &refusal{bytes.Clone(line)}
		}
	}
	return err
}

// parseItem parses a line of "lru_crawler metadump". It keeps the buffer of the key.
func parseItem(line []byte, item *Item) bool {
	if !bytes.HasPrefix(line, []byte("key=")) {
		return false
	}
	*item = Item{Key: item.Key[:0], Expires: -1}
	for len(line) > 0 {
		var field []byte
		field, line, _ = bytes.Cut(line, []byte(" "))
		name, value, _ := bytes.Cut(field, []byte("="))
		switch string(name) {
		case "key":
			item.Key = unescape(item.Key, value)
		case "exp":
			item.Expires = number(value)
		case "la":
			item.Accessed = number(value)
		case "cas":
			item.CAS = uint64(number(value))
		case "fetch":
			item.Fetched = string(value) == "yes"
		case "cls":
			item.Class = int(uint8(number(value))) // also if a server lies
		case "size":
			item.Size = int(number(value))
		case "flags":
			item.Flags = uint64(number(value))
		case "ext_page":
			item.Flash = true
		}
	}
	return true
}

// MaxKey is the length of the longest key, as clients send it: https://github.com/memcached/memcached/blob/1.6.45/memcached.h#L71
const MaxKey = 250

// unescape appends a key whose bytes other than letters and digits are escaped, as in URLs. It ends at MaxKey: the key of a server that lies may not
// need more memory.
func unescape(key, escaped []byte) []byte {
	for i := 0; i < len(escaped) && len(key) < MaxKey; i++ {
		b := escaped[i]
		if b == '%' && i+2 < len(escaped) {
			if code, err := strconv.ParseUint(string(escaped[i+1:i+3]), 16, 8); err == nil {
				b = byte(code)
				i += 2
			}
		}
		key = append(key, b)
	}
	return key
}

// number returns an integer, or 0 for what is none.
func number(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		unsigned, _ := strconv.ParseUint(string(text), 10, 64)
		n = int64(unsigned)
	}
	return n
}
