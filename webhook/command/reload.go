package command

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/example/memcached-operator/webhook/reloader"
	"github.com/example/memcached-operator/webhook/text"
)

func newReload() *cobra.Command {
	var config reloader.Config
	var reportFile string
	command := inPod(&cobra.Command{
		Use:   "reload",
		Short: "Make memcached load changed certificates and passwords",
		Long: `Run as a sidecar of memcached. When the certificate or password files change, reload makes memcached load them.

If memcached does not accept a change, reload writes the reason to a file and exits with 1. Once memcached accepts the
files again, reload exits with 0.`,
		Example: "  memcached-operator reload --tls /tls --passwords /passwords/file",
	}, config.Check, func(ctx context.Context, logger *slog.Logger) error {
		config.Logger = logger
		err := reloader.Run(ctx, config)
		if err == nil {
			return nil
		}
		if writeErr := os.WriteFile(reportFile, []byte(text.Lines(err.Error())), 0o600); writeErr != nil {
			return fmt.Errorf("%w; in addition, cannot write the reason: %w", err, writeErr)
		}
		return err
	})
	command.Flags().AddFlagSet(ReloadFlags(&config))
	command.Flags().StringVar(&reportFile, "report", "/dev/termination-log", "`file` for the reason of a failure; the kubelet copies it to the pod's status")
	return command
}

// ReloadFlags returns the flags of the reloader, which set a configuration.
func ReloadFlags(config *reloader.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("reload", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.StringVar(&config.TLSDirectory, "tls", "", "`directory` with tls.crt, tls.key and optionally ca.crt; empty without TLS")
	flags.StringVar(&config.PasswordFile, "passwords", "", "`file` with user:password lines for ASCII authentication; empty without it")
	flags.StringVar(&config.CommandAddress, "commands", "127.0.0.1:11213", "`host:port` at which memcached accepts ASCII commands without TLS")
	flags.StringVar(&config.TLSAddress, "serves", "127.0.0.1:11211", "`host:port` at which memcached serves clients over TLS")
	flags.StringVar(&config.Marker, "marker", "", "`file` that records a reported failure across restarts of the container")
	flags.DurationVar(&config.Interval, "interval", 5*time.Second, "`duration` between two checks of the files")
	flags.DurationVar(&config.Patience, "patience", 30*time.Second, "`duration` before a change that memcached does not accept is reported")
	return flags
}
