package command

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/exporter"
)

func newExport() *cobra.Command {
	var config exporter.Config
	command := inPod(&cobra.Command{
		Use:   "export",
		Short: "Run next to a proxy and export the reads of its clients to Prometheus",
		Long: `Run next to a proxy in the same pod, and serve /metrics: memcached_proxy_reads_total has the hits and misses of
clients, by phase of a change.

The exit code is 0 after SIGTERM.`,
		Example: "  memcached-operator export --address :9150 --proxy 127.0.0.1:11211",
	}, func() error { return nil }, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return exporter.Run(ctx, config)
	})
	command.Flags().StringVar(&config.Address, "address", ":9150", "`host:port` for Prometheus")
	command.Flags().StringVar(&config.Proxy, "proxy", "127.0.0.1:11211", "`host:port` of the proxy")
	return command
}
