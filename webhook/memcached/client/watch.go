package client

import (
	"bytes"
	"fmt"
	"time"
)

// Entry is a line of the log of a server.
type Entry struct {
	Type EntryType
	// Key is valid until the next entry.
	Key  []byte
	Time time.Time
	// Found reports whether the server had the item of a get.
	Found bool
	// Class is the slab class, and Connection the number of the connection of the client.
	Class, Connection int
}

// EntryType is what an entry reports.
type EntryType string

// The types of entries. Each store writes a Get before, and a Store only if it was done.
const (
	Get   EntryType = "item_get"
	Store EntryType = "item_store"
	Evict EntryType = "eviction"
)

// Watch starts the log of all gets, stores and evictions. memcached leaves out entries that it cannot write fast enough; it
// does not wait. The connection accepts no other command afterwards.
func (c *Conn) Watch() error {
	line, err := c.Command("watch fetchers mutations evictions")
	if err == nil && string(line) != "OK" {
		err = &refusal{bytes.Clone(line)}
	}
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

// Entries calls each for the entries of a log until the connection ends.
func (c *Conn) Entries(each func(*Entry)) error {
	var entry Entry
	for {
		line, err := c.ReadLine()
		if err != nil {
			return err
		}
		parseEntry(line, &entry)
		each(&entry)
	}
}

// parseEntry parses a line of the log. It keeps the buffer of the key.
func parseEntry(line []byte, entry *Entry) {
	*entry = Entry{Key: entry.Key[:0]}
	for len(line) > 0 {
		var field []byte
		field, line, _ = bytes.Cut(line, []byte(" "))
		name, value, _ := bytes.Cut(field, []byte("="))
		switch string(name) {
		case "ts": // the microseconds have no leading zeros
			seconds, microseconds, _ := bytes.Cut(value, []byte("."))
			entry.Time = time.Unix(number(seconds), number(microseconds)*1000)
		case "type":
			entry.Type = EntryType(value)
		case "key":
			entry.Key = unescape(entry.Key, value)
		case "status":
			entry.Found = string(value) == "found"
			if string(value) != "stored" && entry.Type == Store {
				entry.Type = ""
			}
		case "clsid":
			entry.Class = int(number(value))
		case "cfd":
			entry.Connection = int(number(value))
		}
	}
}
