// Package copier copies the items of a memcached to other servers. It lists the items, and reads each of them through proxies that
// move what they read. So the items move that no client uses. It also deletes items that would be visible by mistake after a change.
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

// Config is what to copy.
type Config struct {
	// From is the host:port of a server, and Through is the host:port of the proxies.
	From, Through string
	// Servers is the number of servers after a change in which the server From stays, with this index. Its items that stay are not read.
	// It is 0 if all items move.
	Servers, Index int
	// Room is the memory in MiB that the servers after the change have for the items of From. If it is too small, the items of each slab
	// class that were used last are copied: older ones would displace items that were used later. 0 means enough.
	Room int
	// Rate limits the items per second.
	Rate int
	// InFlight limits the reads that the proxies have not responded to.
	InFlight int
	// Patience limits how long the copy waits for a server, or for the proxies.
	Patience time.Duration
	// Stuck reports whether the pod of From is being deleted and does not end. Then Patience is at most 10 seconds, and the copy is
	// complete if From does not respond.
	Stuck  bool
	Logger *slog.Logger
}

// Check returns an error for an invalid configuration.
func (c *Config) Check() error {
	switch {
	case c.From == "" || c.Through == "":
		return errors.New("copy requires --from and --through: set the host:port of the server and of the proxies")
	case !isHostPort(c.From) || !isHostPort(c.Through):
		return fmt.Errorf("--from %q and --through %q must be host:port", c.From, c.Through)
	case c.Room < 0:
		return fmt.Errorf("--room %d must not be negative", c.Room)
	case c.Rate <= 0 || c.InFlight <= 0 || c.Patience <= 0:
		return errors.New("--rate, --in-flight and --patience must be greater than 0")
	}
	return nil
}

func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	return err == nil && host != "" && port != ""
}

// stuckPatience is long enough for three attempts to connect, of which two packets are lost.
const stuckPatience = 10 * time.Second

// Run returns nil when it has listed all items, and the proxies have responded to the read of each that it copies. Run remembers no
// items: it lists the server once for the ages, and once for each band of ages. If the server stays, the others have room for all
// items that move, so their order does not matter.
//
// If a proxy ends, Run reads the items that it has not responded to through another one. If the connection to the server is closed,
// Run lists the same items again. Those that have moved are not there anymore. Items whose new server does not respond for longer than
// the patience stay behind: Run continues without them, and returns an error at the end.
func Run(ctx context.Context, c Config) error {
	start := time.Now()
	s := &source{address: c.From, logger: c.Logger, batch: c.InFlight, batchBytes: maxBytes}
	if c.Stuck {
		c.Patience = min(c.Patience, stuckPatience)
		s.timeout = c.Patience // otherwise one connection to a node that is off takes longer
	}
	s.patience = c.Patience
	r := &reader{Config: c, interval: time.Second / time.Duration(c.Rate)}
	defer r.close()
	found, err := ages{}, error(nil)
	shares := found.shares(nil, 0)
	if c.Servers == 0 {
		found, shares, err = s.survey(ctx, start, c.Room)
	}
	for _, each := range found.passes(shares) {
		if err == nil {
			r.left = 0 // the next listing has these items too
			err = s.list(ctx, each.String(), func(server *client.Conn) error {
				return s.walk(ctx, server, each.order, each.selects(start), func(server *client.Conn, items []item) error { return r.read(ctx, server, items) })
			})
		}
	}
	if c.Stuck && errors.Is(err, errSilent) {
		c.Logger.Warn("The server does not respond, as expected of a lost node. The copy ends.", "read", r.done, "error", err)
		return nil
	}
	if err == nil && r.left > 0 {
		err = fmt.Errorf("%d items did not move, because for %s a server did not respond to the proxies, or other commands used the same keys", r.left, r.Patience)
	}
	if err != nil {
		return fmt.Errorf("copy the items of %s through %s: %w", c.From, c.Through, err)
	}
	if r.notFound*8 > r.done { // more than clients delete meanwhile
		c.Logger.Warn("The proxies did not find many of the items. A previous change of the size without a warm-up can cause this.", "items", r.notFound)
	}
	c.Logger.Info("The copy is complete.", "read", r.done, "seconds", int(time.Since(start).Seconds()))
	return nil
}
