package command

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/copier"
)

type copyOptions struct {
	copier.Config
	ordinals []int
}

func newCopy() *cobra.Command {
	var options copyOptions
	command := &cobra.Command{
		Use:   "copy [flags]",
		Short: "Read all items of a server through proxies that move them",
		Long: `List the items of a memcached, and read each of them through proxies that move what they read. The Job of a warm-up runs
copy, so that items move that no client uses.

The items that were used last come last. If a server or a proxy restarts, copy continues. With --room, the oldest items of each
slab class stay for which there is no memory after the change. The exit code is 0 when all others have moved that the proxies
distribute to another server, 1 if a server or the proxies did not respond for too long, or if the proxies do not move items, and 143
after a signal.`,
		Example:           "  memcached-operator copy --from cache-0.cache:11211 --through cache-proxy:11211 --rate 5000",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			return options.run(command)
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&options.From, "from", "", "`host:port` of the server; {ordinal} is the one of --ordinals at --index")
	flags.IntSliceVar(&options.ordinals, "ordinals", nil, "`numbers` of the servers in their StatefulSet")
	flags.IntVar(&options.Index, "index", 0, "`number` of this server among those that are copied")
	flags.IntVar(&options.Servers, "servers", 0, "`number` of servers after the change, if this server stays: the keys that it keeps are not read")
	flags.IntVar(&options.Room, "room", 0, "`MiB` that the servers after the change have for the items of this server; 0 if they have enough")
	flags.StringVar(&options.Through, "through", "", "`host:port` of the proxies")
	flags.IntVar(&options.Rate, "rate", 10000, "maximum `number` of items per second")
	flags.IntVar(&options.InFlight, "in-flight", 64, "maximum `number` of items that are read at the same time")
	flags.DurationVar(&options.Patience, "patience", 2*time.Minute, "longest `time` to wait for a server or the proxies")
	return command
}

func (o *copyOptions) run(command *cobra.Command) error {
	if err := o.Check(); err != nil {
		return usageErrorf(command, "%w", err)
	}
	var err error
	if o.From, err = ofOrdinal(o.From, o.ordinals, o.Index); err != nil {
		return usageErrorf(command, "%w", err)
	}
	o.Logger = slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
	return copier.Run(command.Context(), o.Config)
}
