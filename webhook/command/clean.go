package command

import (
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/copier"
)

func newClean() *cobra.Command {
	var options copier.CleanConfig
	var ordinals []int
	command := &cobra.Command{
		Use:   "clean [flags]",
		Short: "Delete the items of a server that proxies look for on another one",
		Long: `List the items of a memcached, and delete those whose keys the proxies distribute to another server. Before the number of
servers decreases, a Job cleans those that stay. Before keys return to a server that the proxies do not use, a Job deletes all of its
items (--of=0). Otherwise, old items of an earlier change would be found again.

If the server restarts, clean continues. The exit code is 0 when the server has no such items, 1 if the server did not respond for
too long, or if an item changed again and again, and 143 after a signal.`,
		Example:           "  memcached-operator clean --server cache-{ordinal}.cache:11211 --ordinals 0,1,2 --index 1 --of 2",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			if !command.Flags().Changed("of") {
				return usageErrorf(command, "clean requires --of")
			}
			if err := options.Check(); err != nil {
				return usageErrorf(command, "%w", err)
			}
			var err error
			if options.Server, err = ofOrdinal(options.Server, ordinals, options.Index); err != nil {
				return usageErrorf(command, "%w", err)
			}
			options.Logger = slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
			return copier.Clean(command.Context(), options)
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&options.Server, "server", "", "`host:port` of the server; {ordinal} is the one of --ordinals at --index")
	flags.IntSliceVar(&ordinals, "ordinals", nil, "`numbers` of the servers in their StatefulSet")
	flags.IntVar(&options.Index, "index", 0, "`number` of this server among all, from 0")
	flags.IntVar(&options.Of, "of", 0, "`number` of servers that the proxies distribute keys to; 0 deletes all items")
	flags.DurationVar(&options.Patience, "patience", 2*time.Minute, "longest `time` to wait for the server")
	return command
}
