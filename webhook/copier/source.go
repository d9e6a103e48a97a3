package copier

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"strconv"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

const (
	// timeout limits a connection, and each wait for a part of a response. A proxy takes some seconds for an item that another proxy
	// was moving when it ended.
	timeout = 30 * time.Second
	// maxListings limits how often items are listed: a failure that comes at the same item each time never passes. A server that cannot be
	// reached is a matter of patience.
	maxListings = 100
	// pause is the time between two attempts.
	pause = time.Second
	// proxyMark are the first 12 bits of the CAS unique of an item that a proxy moves, as in library.lua. The last bit says whether the key
	// is in base64.
	proxyMark = 0x6d6
)

// errSilent reports that a server could not be listed for longer than the patience.
var errSilent = errors.New("made no progress")

// source is a server whose items are listed.
type source struct {
	address  string
	patience time.Duration
	timeout  time.Duration // for each connection; the constant if it is 0
	logger   *slog.Logger
	// listed is the number of items that were listed.
	listed int
	// batch and batchBytes limit the items that are handled together.
	batch, batchBytes int
}

// item is a listed item.
type item struct {
	key    []byte // as clients send it, with the flag for base64
	unique uint64
	// stale reports whether a client is about to store the item again, and won whether the server takes the copier for this client.
	stale, won bool
}

// list connects to the server and lists items, again after each failure that may pass, until nothing is listed for longer than the
// patience.
func (s *source) list(ctx context.Context, what string, run func(*client.Conn) error) error {
	progress := time.Now()
	for failures := 0; ; {
		s.logger.Info("Listing " + what)
		before := s.listed
		server, err := client.Dial(ctx, s.address, client.Config{Timeout: cmp.Or(s.timeout, timeout)})
		if err == nil {
			failures++
			err = run(server)
			_ = server.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil || errors.Is(err, client.ErrRefused) || errors.Is(err, errUnreadable) {
			return err
		}
		if s.listed > before {
			progress = time.Now()
		}
		if failures == maxListings {
			return fmt.Errorf("listing %s failed %d times: %w", what, failures, err)
		}
		if time.Since(progress) > s.patience {
			return fmt.Errorf("listing %s %w for %s: %w", what, errSilent, s.patience, err)
		}
		s.logger.Warn("The listing starts again.", "error", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// survey counts the items of each slab class by age, and returns for what share of them there is room, in MiB.
func (s *source) survey(ctx context.Context, at time.Time, room int) (found ages, shares classShares, err error) {
	err = s.list(ctx, "the ages of items", func(server *client.Conn) error {
		found = ages{}
		err := server.Items(client.ByHash, func(item client.Item) bool {
			s.listed++
			found.add(at, item)
			return true
		})
		if err != nil {
			return err
		}
		stats := map[string]string{}
		for _, group := range []string{"", "slabs", "items"} {
			some, err := server.Stats(group)
			if err != nil {
				return err
			}
			maps.Copy(stats, some)
		}
		shares = found.shares(stats, room)
		return nil
	})
	return found, shares, err
}

// walk passes the listed items that a condition selects to a function, some at a time.
func (s *source) walk(ctx context.Context, server *client.Conn, order client.Order, selects func(client.Item) bool, handle func(*client.Conn, []item) error) error {
	lookups, err := client.Dial(ctx, s.address, client.Config{Timeout: cmp.Or(s.timeout, timeout)})
	if err != nil {
		return err
	}
	defer lookups.Close()
	var b batch
	handleBatch := func() error {
		items, err := b.lookUp(lookups)
		if err == nil {
			err = handle(lookups, items)
		}
		b = batch{}
		return err
	}
	var failed error
	err = server.Items(order, func(listed client.Item) bool {
		s.listed++
		if selects(listed) {
			b.add(listed)
		}
		if b.asked+len(b.items) >= s.batch || b.bytes >= s.batchBytes {
			failed = handleBatch()
		}
		return failed == nil
	})
	if failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	return handleBatch()
}

// batch is some listed items.
type batch struct {
	items    []item       // whose keys have a known form
	commands bytes.Buffer // for the others
	asked    int          // number of commands
	bytes    int
}

func (b *batch) add(listed client.Item) {
	b.bytes += listed.Size
	if !bytes.ContainsAny(listed.Key, " \n") { // text can have any other byte
		fmt.Fprintf(&b.commands, "mg %s u k c\r\n", listed.Key)
		b.asked++
	} else if fitsEncoded(listed.Key) { // a longer one comes from the binary protocol, which proxies do not have
		b.items = append(b.items, item{key: encoded(listed.Key), unique: listed.CAS})
	}
}

// lookUp asks the server in which form clients send the listed keys: as text or in base64, which a listing with ages does not say.
// A proxy distributes the same key in another form differently. Items that are missing now are no part of the result.
func (b *batch) lookUp(server *client.Conn) ([]item, error) {
	if _, err := server.Write(b.commands.Bytes()); err != nil {
		return nil, err
	}
	for ; b.asked > 0; b.asked-- {
		line, err := server.ReadLine()
		if err != nil {
			return nil, err
		}
		found := parse(line)
		if found.key != nil {
			b.items = append(b.items, found)
		} else if !bytes.HasPrefix(line, []byte("EN")) { // with k, the response for a missing item has the key too
			return nil, fmt.Errorf("the server responds with %.200q", line)
		}
	}
	return b.items, nil
}

var lookupLine = regexp.MustCompile(`^HD k([^ ]+( b)?) c(\d+)(?: ([WXZ ]+))?$`)

// parse reads the response to a lookup. memcached forgets the form of an item that has an owner, whose CAS unique has it instead.
func parse(line []byte) (found item) {
	words := lookupLine.FindSubmatch(line)
	if words == nil || len(words[1]) > client.MaxKey+len(" b") { // a hostile server's, of which a batch would need too much memory
		return found
	}
	found.key = bytes.Clone(words[1])
	found.unique, _ = strconv.ParseUint(string(words[3]), 10, 64)
	found.stale, found.won = words[4] != nil, bytes.Contains(words[4], []byte("W"))
	if found.unique>>52 == proxyMark && found.unique&1 == 1 && words[2] == nil && fitsEncoded(found.key) {
		found.key = encoded(found.key)
	}
	return found
}

// fitsEncoded reports whether clients can send a key in base64.
func fitsEncoded(key []byte) bool { return base64.StdEncoding.EncodedLen(len(key)) <= client.MaxKey }

// encoded returns a key in base64, with its flag.
func encoded(key []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(nil, key), " b"...)
}

// giveBack gives the W of stale items, which lookups have taken, to the next client.
func giveBack(server *client.Conn, items []item) error {
	var commands bytes.Buffer
	for _, each := range items {
		if each.won {
			fmt.Fprintf(&commands, "md %s I C%d q\r\n", each.key, each.unique)
		}
	}
	_, err := runQuiet(server, &commands)
	return err
}

// runQuiet sends commands with the flag q. It returns the last response other than a success.
func runQuiet(server *client.Conn, commands *bytes.Buffer) (response string, err error) {
	if commands.Len() == 0 {
		return "", nil
	}
	commands.WriteString("mn\r\n")
	if _, err := server.Write(commands.Bytes()); err != nil {
		return "", err
	}
	for {
		line, err := server.ReadLine()
		if err != nil || string(line) == "MN" {
			return response, err
		}
		response = string(line)
	}
}

func sleep(ctx context.Context, duration time.Duration) error {
	if duration <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
