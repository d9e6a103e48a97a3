package command

import (
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/example/memcached-operator/webhook/exporter"
)

func newExport() *cobra.Command {
	var config exporter.Config
	command := &cobra.Command{
		Use:   "export [flags]",
		Short: "Run next to a proxy and export the reads of its clients to Prometheus",
		Long: `Run next to a proxy in the same pod, and serve /metrics: memcached_proxy_reads_total has the hits and misses of
clients, by phase of a change.

The exit code is 0 after SIGTERM.`,
		Example:           "  memcached-operator export --address :9150 --proxy 127.0.0.1:11211",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			config.Logger = slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
			return exporter.Run(command.Context(), config)
		},
	}
	command.Flags().SortFlags = false
	command.Flags().AddFlagSet(ExportFlags(&config))
	return command
}

// ExportFlags returns the flags of the exporter, which set a configuration.
func ExportFlags(config *exporter.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("export", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.StringVar(&config.Address, "address", ":9150", "`host:port` for Prometheus")
	flags.StringVar(&config.Proxy, "proxy", "127.0.0.1:11211", "`host:port` of the proxy")
	return flags
}
