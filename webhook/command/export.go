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
		Short: "Export the hits and misses of a proxy's clients to Prometheus",
		Long: `Run as a sidecar of a proxy and serve /metrics. The metric memcached_proxy_reads_total counts the hits and misses of
clients by phase of a change.

The exit code is 0 after SIGTERM.`,
		Example: "  memcached-operator export --address :9150 --proxy 127.0.0.1:11211",
	}, config.Check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return exporter.Run(ctx, config)
	})
	command.Flags().StringVar(&config.Address, "address", ":9150", "`host:port` to listen on for Prometheus")
	command.Flags().StringVar(&config.Proxy, "proxy", "", "`host:port` of the proxy (required)")
	return command
}
