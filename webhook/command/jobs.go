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
		Short: "Read all items of a server through proxies that move them",
		Long: `List the items of a memcached, and read each of them through proxies that move what they read. The Job of a warm-up runs
copy, so that items move that no client uses.

The items that were used last come last. If a server or a proxy restarts, copy continues. With --room, the oldest items of each
slab class stay for which there is no memory after the change. The exit code is 0 when all others have moved that the proxies
distribute to another server, 1 if a server or the proxies did not respond for too long, or if the proxies do not move items, and 143
after a signal.`,
		Example: "  memcached-operator copy --from cache-0.cache:11211 --through cache-proxy:11211 --rate 5000",
	}, check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return copier.Run(ctx, config)
	})
	flags := command.Flags()
	flags.StringVar(&config.From, "from", "", "`host:port` of the server; {ordinal} is the one of --ordinals at --index")
	flags.IntSliceVar(&ordinals, "ordinals", nil, "`numbers` of the servers in their StatefulSet")
	flags.IntVar(&config.Index, "index", 0, "`number` of this server among those that are copied")
	flags.IntSliceVar(&stuck, "stuck", nil, "`numbers` of --ordinals whose nodes do not respond: the copy of such a server is complete if it does not respond for 10s")
	flags.IntVar(&config.Servers, "servers", 0, "`number` of servers after the change, if this server stays: the keys that it keeps are not read")
	flags.IntVar(&config.Room, "room", 0, "`MiB` that the servers after the change have for the items of this server; 0 if they have enough")
	flags.StringVar(&config.Through, "through", "", "`host:port` of the proxies")
	flags.IntVar(&config.Rate, "rate", 10000, "maximum `number` of items per second")
	flags.IntVar(&config.InFlight, "in-flight", 64, "maximum `number` of items that are read at the same time")
	flags.DurationVar(&config.Patience, "patience", 2*time.Minute, "longest `time` to wait for a server or the proxies")
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
		Short: "Delete the items of a server that proxies look for on another one",
		Long: `List the items of a memcached, and delete those whose keys the proxies distribute to another server. Before the number of
servers decreases, a Job cleans those that stay. Before keys return to a server that the proxies do not use, a Job deletes all of its
items (--of=0). Otherwise, old items of an earlier change would be found again.

If the server restarts, clean continues. The exit code is 0 when the server has no such items, 1 if the server did not respond for
too long, or if an item changed again and again, and 143 after a signal.`,
		Example: "  memcached-operator clean --server cache-{ordinal}.cache:11211 --ordinals 0,1,2 --index 1 --of 2",
	}, check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return copier.Clean(ctx, config)
	})
	flags := command.Flags()
	flags.StringVar(&config.Server, "server", "", "`host:port` of the server; {ordinal} is the one of --ordinals at --index")
	flags.IntSliceVar(&ordinals, "ordinals", nil, "`numbers` of the servers in their StatefulSet")
	flags.IntVar(&config.Index, "index", 0, "`number` of this server among all, from 0")
	flags.IntVar(&config.Of, "of", -1, "`number` of servers that the proxies distribute keys to; 0 deletes all items")
	flags.DurationVar(&config.Patience, "patience", 2*time.Minute, "longest `time` to wait for the server")
	return command
}

// ofOrdinal returns an address with the ordinal at an index of a list in place of {ordinal}: the pods of a Job differ only in their index.
func ofOrdinal(address string, ordinals []int, index int) (string, error) {
	const placeholder = "{ordinal}"
	switch {
	case !strings.Contains(address, placeholder):
		return address, nil
	case index < 0 || index >= len(ordinals):
		return "", fmt.Errorf("--index %d must be less than the number of --ordinals, %d, and not negative", index, len(ordinals))
	}
	return strings.ReplaceAll(address, placeholder, strconv.Itoa(ordinals[index])), nil
}
