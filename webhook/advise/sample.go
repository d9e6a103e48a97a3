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
	"github.com/example/memcached-operator/webhook/text"
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
	// Flash counts the items at the start whose value is on flash.
	Flash float64
	// Trace is nil if the server does not report what clients request. NoTrace then has the reason.
	Trace   *Trace
	NoTrace string
}

// change returns the change of a statistic in the interval, and rate the change per second.
func (s *Sample) change(name string) float64 {
	return s.After.General.number(name) - s.Before.General.number(name)
}

func (s *Sample) rate(name string) float64 { return s.change(name) / s.Seconds }

// Limits are how much Read asks of a server.
type Limits struct {
	// Watch is the duration between the readings.
	Watch time.Duration
	// Items is the maximum number of keys to keep of the items, and Listing the maximum duration of the listing.
	Items   int
	Listing time.Duration
}

// lag is the longest time after which memcached writes an entry of its log.
const lag = time.Second

// Read reads the statistics of a server at the start and the end of an interval, its items at the start, and its log in between. It
// connects for each of them, because a server may close connections that are idle.
func Read(ctx context.Context, address string, config client.Config, limits Limits) (*Sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &Sample{Address: address}
	connection, err := client.Dial(ctx, address, config)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if s.Settings, err = connection.Stats("settings"); err != nil {
		return nil, withHint(address, err, config)
	}
	if s.Settings["proxy_enabled"] == "yes" {
		return nil, fmt.Errorf("%s is a proxy. Use the addresses of its servers instead", address)
	}
	if s.Before, err = read(connection); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	interval := time.NewTimer(limits.Watch)
	defer interval.Stop()
	t := newTracer(int64(s.Before.General.number("time")), s.Before.General.number("curr_items"), float64(limits.Items))
	finish := s.watch(ctx, config, limits, t)
	s.list(ctx, connection, limits, t)
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", address, context.Cause(ctx))
	case <-interval.C:
	}
	if connection, err = client.Dial(ctx, address, config); err != nil {
		return nil, err
	}
	defer connection.Close()
	s.After, err = read(connection)
	s.Seconds = max(1, s.change("time"))
	if finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	if s.change("uptime") < 0 || s.change("cmd_get") < 0 {
		return nil, fmt.Errorf("%s restarted during the interval, or its statistics were reset. Run advise again", address)
	}
	if s.NoTrace == "" {
		s.Trace = t.trace()
	}
	return s, ctx.Err()
}

// watch starts to read the log. The returned function ends that.
func (s *Sample) watch(ctx context.Context, config client.Config, limits Limits, t *tracer) (finish func()) {
	config.Timeout += limits.Watch // the log of an idle server is empty
	connection, err := client.Dial(ctx, s.Address, config)
	if err == nil {
		err = connection.Watch()
	}
	if err != nil {
		s.NoTrace = "the requests of clients cannot be watched: " + text.Lines(err.Error()) + hintOf(err)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = connection.Entries(t.entry) // a log that ends early has too few gets
	}()
	return func() {
		select {
		case <-ctx.Done():
		case <-time.After(lag):
		}
		_ = connection.Close()
		<-done
	}
}

// hintOf returns what to do after the refusal of a listing or a log.
func hintOf(err error) string {
	if errors.Is(err, client.ErrRefused) {
		return ". Start memcached without -W and -X"
	}
	return ""
}

// list lists the items at the start.
func (s *Sample) list(ctx context.Context, connection *client.Conn, limits Limits, t *tracer) {
	ctx, cancel := context.WithTimeout(ctx, limits.Listing)
	defer cancel()
	add := func(item client.Item) bool {
		if item.Flash {
			s.Flash++
		}
		t.item(item)
		return ctx.Err() == nil
	}
	err := connection.Items(client.ByHash, add)
	for ; errors.Is(err, client.ErrBusy) && ctx.Err() == nil; err = connection.Items(client.ByHash, add) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	switch {
	case err != nil:
		s.NoTrace = "the items cannot be listed: " + text.Lines(err.Error()) + hintOf(err)
	case ctx.Err() != nil:
		s.NoTrace = "listing the items takes longer than --listing-timeout"
	}
}

// withHint adds to the error of a server that closes the first connection which flags may be missing.
func withHint(address string, err error, config client.Config) error {
	if !errors.Is(err, io.EOF) || config.TLS != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return fmt.Errorf("%s closed the connection: it may require --tls, or use SASL, which advise does not support", address)
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
