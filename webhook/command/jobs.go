package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/copier"
)

func newCopy() *cobra.Command {
	var config copier.Config
	var ordinals, stuck []int
	check := func() (err error) {
		if err := config.Check(); err != nil {
			return err
		}
		config.Stuck = config.Index >= 0 && config.Index < len(ordinals) && slices.Contains(stuck, ordinals[config.Index])
		config.From, err = ofOrdinal(config.From, ordinals, config.Index)
		return err
	}
	command := inPod(&cobra.Command{
		Use:   "copy",
		Short: "Move the items of a server by reading them through proxies",
		Long: `List the items of a memcached server, and read each item through proxies that move what they read. The Job of a warm-up runs
copy, so that items that no client reads also move.

copy reads the most recently used items last. It continues if a server or a proxy restarts. With --room, the oldest items of
each slab class that do not fit into memory after the change do not move.

The exit code is 0 when the items have moved to their new servers, and 143 after a signal. It is 1 if a server or the
proxies have not responded for too long, or if the proxies do not move items.`,
		Example: "  memcached-operator copy --from cache-0.cache:11211 --through cache-proxy:11211 --rate 5000",
	}, check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return copier.Run(ctx, config)
	})
	flags := command.Flags()
	flags.StringVar(&config.From, "from", "", "`host:port` of the server; {ordinal} is replaced with the entry of --ordinals at --index")
	flags.IntSliceVar(&ordinals, "ordinals", nil, "`ordinals` of the servers in their StatefulSet")
	flags.IntVar(&config.Index, "index", 0, "`position` of this server in --ordinals, from 0")
	flags.IntSliceVar(&stuck, "stuck", nil, "`ordinals` of servers on unreachable nodes; the copy of such a server is complete if the server has not responded for 10s")
	flags.IntVar(&config.Servers, "servers", 0, "`number` of servers after the change, if this server remains; keys that it keeps are not read")
	flags.IntVar(&config.Room, "room", 0, "`MiB` of memory for the items of this server after the change; 0 if it is enough")
	flags.StringVar(&config.Through, "through", "", "`host:port` of the proxies")
	flags.IntVar(&config.Rate, "rate", 10000, "maximum `number` of items per second")
	flags.IntVar(&config.InFlight, "in-flight", 64, "maximum `number` of items to read at the same time")
	flags.DurationVar(&config.Patience, "patience", 2*time.Minute, "maximum `duration` to wait for a server or the proxies")
	return command
}

func newClean() *cobra.Command {
	var config copier.CleanConfig
	var ordinals []int
	check := func() (err error) {
		if err := config.Check(); err != nil {
			return err
		}
		config.Server, err = ofOrdinal(config.Server, ordinals, config.Index)
		return err
	}
	command := inPod(&cobra.Command{
		Use:   "clean",
		Short: "Delete a server's items whose keys belong to other servers",
		Long: `List the items of a memcached server, and delete those whose keys belong to other servers. Without this, stale items could
reappear. Before the number of servers decreases, a Job cleans the servers that remain. Before keys return to a server that the
proxies do not use, a Job deletes all of its items (--of=0).

clean continues if the server restarts. The exit code is 0 when no such items are left on the server, and 143 after a signal. It
is 1 if the server has not responded for too long, or if an item keeps changing.`,
		Example: "  memcached-operator clean --server cache-{ordinal}.cache:11211 --ordinals 0,1,2 --index 1 --of 2",
	}, check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return copier.Clean(ctx, config)
	})
	flags := command.Flags()
	flags.StringVar(&config.Server, "server", "", "`host:port` of the server; {ordinal} is replaced with the entry of --ordinals at --index")
	flags.IntSliceVar(&ordinals, "ordinals", nil, "`ordinals` of the servers in their StatefulSet")
	flags.IntVar(&config.Index, "index", 0, "`position` of this server in --ordinals, from 0")
	flags.IntVar(&config.Of, "of", -1, "`number` of servers that the proxies distribute keys to; 0 deletes all items (required)")
	flags.Lookup("of").DefValue = "0" // the help shows no default
	flags.DurationVar(&config.Patience, "patience", 2*time.Minute, "maximum `duration` to wait for the server")
	return command
}

// ofOrdinal returns an address with the ordinal at an index of a list in place of {ordinal}: the pods of a Job differ only in their index.
func ofOrdinal(address string, ordinals []int, index int) (string, error) {
	const placeholder = "{ordinal}"
	switch {
	case !strings.Contains(address, placeholder):
		return address, nil
	case index < 0 || index >= len(ordinals):
		return "", fmt.Errorf("--index %d must be at least 0 and less than %d, the number of --ordinals", index, len(ordinals))
	}
	return strings.ReplaceAll(address, placeholder, strconv.Itoa(ordinals[index])), nil
}
