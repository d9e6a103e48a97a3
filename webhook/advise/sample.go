package advise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// Values are statistics by name.
type Values map[string]string

// number returns a statistic, or 0 without one, as memcached leaves out what it does not have. Its numbers have 64 bits at most.
func (v Values) number(name string) float64 {
	n, err := strconv.ParseFloat(v[name], 64)
	if err == nil && math.Abs(n) <= math.MaxUint64 { // not NaN
		return n
	}
	return 0
}

// Reading is what a server reports at one time.
type Reading struct{ General, Items, Slabs Values }

// Sample is what a server reports about an interval.
type Sample struct {
	Address string
	// Seconds is the duration between the readings.
	Seconds       float64
	Settings      Values
	Before, After Reading
	// Listing is nil if the server does not list its items. NoListing then has the reason.
	Listing   *Listing
	NoListing string
}

// rate returns the change of a statistic per second.
func (s *Sample) rate(name string) float64 {
	return (s.After.General.number(name) - s.Before.General.number(name)) / s.Seconds
}

// Listing summarizes the items of a server. Its size does not depend on their number.
type Listing struct {
	// Time is the time of the server.
	Time float64
	// Complete reports whether the listing has all items. If not, they are a random sample.
	Complete bool
	Classes  map[int]*ListedClass
}

// ListedClass has the items of a slab class.
type ListedClass struct {
	// Items and Bytes count all items, Fetched and FetchedBytes those that a client got since they were stored.
	Items, Bytes, Fetched, FetchedBytes float64
	// Flash counts the items whose value is on flash, and Expiring those with a TTL.
	Flash, Expiring float64
	// Idle are the bytes of the items by age, and Unread those of the items that no client got since they were stored.
	Idle, Unread histogram
	// Ages has the ages of all items, and Unfetched the ages of those that no client got, by the logarithm of their TTL.
	Ages      histogram
	Unfetched map[int]*histogram
}

// noTTL is the logarithm of the TTL of items that do not expire.
const noTTL = math.MaxInt

// perDoubling is the resolution of the logarithms of TTLs.
const perDoubling = 8

func ttlOf(logarithm int) float64 {
	if logarithm == noTTL {
		return math.Inf(1)
	}
	return math.Exp2(float64(logarithm) / perDoubling)
}

// maxClass is the highest slab class that the byte of memcached for it can have.
const maxClass = math.MaxUint8

// Add adds an item to the summary. It ignores items of impossible slab classes, so that the summary has a limit.
func (l *Listing) Add(item client.Item) {
	if item.Class < 0 || item.Class > maxClass {
		return
	}
	class := l.Classes[item.Class]
	if class == nil {
		class = &ListedClass{Unfetched: map[int]*histogram{}}
		l.Classes[item.Class] = class
	}
	size, age := float64(item.Size), max(0, l.Time-float64(item.Accessed))
	class.Items++
	class.Bytes += size
	class.Idle.add(age, size)
	class.Ages.add(age, 1)
	if item.Flash {
		class.Flash++
	}
	ttl := noTTL
	if item.Expires > 0 {
		class.Expiring++
		ttl = int(math.Round(perDoubling * math.Log2(max(1, float64(item.Expires-item.Accessed)))))
	}
	if item.Fetched {
		class.Fetched++
		class.FetchedBytes += size
		return
	}
	class.Unread.add(age, size)
	if class.Unfetched[ttl] == nil {
		class.Unfetched[ttl] = &histogram{}
	}
	class.Unfetched[ttl].add(age, 1)
}

// Limits are how much Read asks of a server.
type Limits struct {
	// Watch is the duration between the readings.
	Watch time.Duration
	// Items is the maximum number of items that are listed, and Listing the maximum duration of that.
	Items   int
	Listing time.Duration
}

// Read reads the statistics of a server at the begin and the end of an interval, and lists its items at the end. It connects for
// each reading, because a server may close connections that are idle.
func Read(ctx context.Context, address string, config client.Config, limits Limits, progress func(string)) (*Sample, error) {
	s := &Sample{Address: address, Seconds: limits.Watch.Seconds()}
	if err := s.begin(ctx, config); err != nil {
		return nil, withHint(err, config)
	}
	progress("watches for " + limits.Watch.String())
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", address, context.Cause(ctx))
	case <-time.After(limits.Watch):
	}
	connection, err := client.Dial(ctx, address, config)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if s.After, err = read(connection); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if s.restarted() {
		return nil, fmt.Errorf("%s restarted during the watch, or its statistics were reset", address)
	}
	progress("lists the items")
	s.list(ctx, connection, limits, progress)
	return s, ctx.Err()
}

// begin reads the settings and the statistics at the begin of the interval.
func (s *Sample) begin(ctx context.Context, config client.Config) error {
	connection, err := client.Dial(ctx, s.Address, config)
	if err != nil {
		return err
	}
	defer connection.Close()
	if s.Settings, err = connection.Stats("settings"); err != nil {
		return fmt.Errorf("%s: %w", s.Address, err)
	}
	if s.Settings["proxy_enabled"] == "yes" {
		return fmt.Errorf("%s is a proxy: pass the addresses of its servers", s.Address)
	}
	if s.Before, err = read(connection); err != nil {
		return fmt.Errorf("%s: %w", s.Address, err)
	}
	return nil
}

// withHint adds to the error of a server that closes the first connection which flags may be missing.
func withHint(err error, config client.Config) error {
	if !errors.Is(err, io.EOF) || config.TLS != nil || config.Auth == client.AuthSASL {
		return err
	}
	return fmt.Errorf("%w; a server that closes connections may need --tls, or --auth=sasl", err)
}

func read(connection *client.Conn) (r Reading, err error) {
	for _, group := range []struct {
		name   string
		values *Values
	}{{"", &r.General}, {"items", &r.Items}, {"slabs", &r.Slabs}} {
		values, err := connection.Stats(group.name)
		if err != nil {
			return Reading{}, err
		}
		*group.values = values
	}
	return r, nil
}

func (s *Sample) list(ctx context.Context, connection *client.Conn, limits Limits, progress func(string)) {
	ctx, cancel := context.WithTimeout(ctx, limits.Listing)
	defer cancel()
	listing := &Listing{Time: s.After.General.number("time"), Complete: true, Classes: map[int]*ListedClass{}}
	count := 0
	add := func(item client.Item) bool {
		listing.Add(item)
		count++
		if count%100_000 == 0 {
			progress(fmt.Sprintf("listed %d items", count))
		}
		listing.Complete = count < limits.Items && ctx.Err() == nil
		return listing.Complete
	}
	err := connection.Items(client.ByHash, add)
	for ; errors.Is(err, client.ErrBusy) && ctx.Err() == nil; err = connection.Items(client.ByHash, add) {
		progress("waits for " + client.ErrBusy.Error())
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	switch {
	case errors.Is(err, client.ErrNoListing):
		s.NoListing = "the items cannot be listed: " + err.Error() + ". Connect to a port without SASL: pods with TLS or metrics have 11213 on their loopback interface, which kubectl port-forward reaches"
	case err != nil && count == 0:
		s.NoListing = "the items cannot be listed: " + err.Error()
	default: // a listing that breaks off is a sample if it has enough items
		listing.Complete = listing.Complete && err == nil
		s.keep(listing, err)
	}
}
