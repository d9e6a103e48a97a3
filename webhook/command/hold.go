package command

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/example/memcached-operator/webhook/hold"
)

func newHold() *cobra.Command {
	var config hold.Config
	command := inPod(&cobra.Command{
		Use:   "hold",
		Short: "Keep a terminating memcached running until its items are on other servers",
		Long: `Run as a sidecar of memcached and answer the kubelet's hooks and probes. The preStop hook of memcached calls /hold. The
liveness probe calls /alive.

/hold responds when no proxy, and no other client from another pod, has been connected to memcached for 3s. Proxies stay
connected to servers that they use, so once they have disconnected, no proxy uses this server. /hold also responds when
memcached has not responded for 5s, and 5s before the grace period ends.
/alive responds with status 200 if memcached responds, and with 503 otherwise.

The exit code is 0 after SIGTERM.`,
		Example: "  memcached-operator hold --memcached 127.0.0.1:11211 --grace 5m",
	}, config.Check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		return hold.Run(ctx, config)
	})
	command.Flags().AddFlagSet(HoldFlags(&config))
	return command
}

// HoldFlags returns the flags of the sidecar, which set a configuration.
func HoldFlags(config *hold.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("hold", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.StringVar(&config.Address, "address", ":11214", "`host:port` to listen on for the kubelet")
	flags.StringVar(&config.Memcached, "memcached", "", "`host:port` of memcached (required)")
	flags.DurationVar(&config.Grace, "grace", 30*time.Second, "`duration` of the grace period; the operator passes terminationGracePeriodSeconds of the pod")
	return flags
}
