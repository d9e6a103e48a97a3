// Package copier copies the items of a memcached to other servers. It lists the items, and reads each of them through proxies that
// move what they read. So the items move that no client uses.
package copier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

const (
	// timeout limits a connection, and each wait for a part of a response. A proxy takes some seconds for an item that another proxy
	// was moving when it ended.
	timeout = 30 * time.Second
	// pause is the time between two attempts.
	pause = time.Second
	// maxListings is how often a listing may fail, if it also fails for longer than the patience.
	maxListings = 10
)

// errUnreadable reports that the proxies do not respond to a read.
var errUnreadable = errors.New("the proxies do not respond")

// Config is what to copy.
type Config struct {
	// From is the host:port of a server, and Through is the host:port of the proxies.
	From, Through string
	// Rate limits the items per second.
	Rate int
	// InFlight limits the reads that the proxies have not responded to.
	InFlight int
	// Patience limits how long the copy waits for a server, or for the proxies.
	Patience time.Duration
	Logger   *slog.Logger
}

// Check returns an error for an invalid configuration.
func (c *Config) Check() error {
	switch {
	case c.From == "" || c.Through == "":
		return errors.New("copy requires --from and --through")
	case !isHostPort(c.From) || !isHostPort(c.Through):
		return fmt.Errorf("--from %q and --through %q must be host:port", c.From, c.Through)
	case c.Rate <= 0 || c.InFlight <= 0 || c.Patience <= 0:
		return errors.New("--rate, --in-flight and --patience must be above 0")
	}
	return nil
}

func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	return err == nil && host != "" && port != ""
}

// Run returns nil when it has listed all items, and the proxies have responded to the read of each. The items that were used last
// come last, because a server with less memory evicts those that were stored first. Run remembers no items: it lists the server once
// for the ages, and once for each band of ages.
//
// If a proxy ends, Run reads the items that it has not responded to through another one. If the connection to the server is closed,
// Run lists the same items again. Those that have moved are skipped. Items whose new server does not respond for longer than the
// patience stay behind: Run continues without them, and returns an error at the end.
func Run(ctx context.Context, c Config) error {
	start := time.Now()
	r := &reader{Config: c, interval: time.Second / time.Duration(c.Rate)}
	defer r.close()
	var ages histogram
	err := r.list(ctx, "the ages of items", func(server *client.Conn) error {
		ages = histogram{}
		return server.Items(ctx, func(item client.Item) bool {
			ages.add(age(start, item))
			return true
		})
	})
	for _, band := range ages.bands() {
		if err == nil {
			err = r.list(ctx, band.String(), func(server *client.Conn) error {
				return r.copy(ctx, server, func(item client.Item) bool { return band.has(age(start, item)) && item.CAS != moved })
			})
		}
	}
	if err == nil && r.left > 0 {
		err = fmt.Errorf("%d items did not move, because a server did not respond to the proxies for %s", r.left, r.Patience)
	}
	if err != nil {
		return fmt.Errorf("copy the items of %s through %s: %w", c.From, c.Through, err)
	}
	if r.notFound*8 > r.done { // more than clients delete meanwhile
		c.Logger.Warn("The proxies do not find many of the items. A change of size without a warm-up can cause this.", "items", r.notFound)
	}
	c.Logger.Info("The copy is complete.", "read", r.done, "seconds", int(time.Since(start).Seconds()))
	return nil
}

// list connects to the server and lists items, again after each failure that may pass.
func (r *reader) list(ctx context.Context, what string, run func(*client.Conn) error) error {
	start := time.Now()
	for failures := 1; ; failures++ {
		r.Logger.Info("Listing "+what, "read", r.done)
		server, err := client.Dial(ctx, r.From, client.Config{Timeout: timeout})
		if err == nil {
			err = run(server)
			_ = server.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil || errors.Is(err, client.ErrRefused) || errors.Is(err, errUnreadable) {
			return err
		}
		if failures > maxListings && time.Since(start) > r.Patience {
			return fmt.Errorf("listing %s failed %d times: %w", what, failures, err)
		}
		r.Logger.Warn("The listing starts again.", "error", err)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// copy reads the listed items that a condition selects.
func (r *reader) copy(ctx context.Context, server *client.Conn, selects func(client.Item) bool) error {
	lookups, err := client.Dial(ctx, r.From, client.Config{Timeout: timeout})
	if err != nil {
		return err
	}
	defer lookups.Close()
	r.lookups.Reset() // those of a listing that was cut
	r.listed, r.reads = 0, nil
	var failed error
	err = server.Items(ctx, func(item client.Item) bool {
		if selects(item) {
			failed = r.add(ctx, lookups, item.Key)
		}
		return failed == nil
	})
	if failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	return r.flush(ctx, lookups)
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
