package command

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/example/memcached-operator/webhook/reloader"
)

type reloadOptions struct {
	reloader.Config
	reportFile string
}

func newReload() *cobra.Command {
	var options reloadOptions
	command := &cobra.Command{
		Use:   "reload [flags]",
		Short: "Run next to memcached and reload changed certificates and passwords",
		Long: `Run next to memcached in the same pod. When the files of certificates or passwords change, reload makes memcached load
them.

If memcached does not accept a change, reload writes the reason to a file and exits with 1. Once memcached accepts the
files again, reload exits with 0.`,
		Example:           "  memcached-operator reload --tls /tls --passwords /passwords/file",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			return options.run(command)
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.AddFlagSet(ReloadFlags(&options.Config))
	flags.StringVar(&options.reportFile, "report", "/dev/termination-log", "`file` for the reason of a failure; the kubelet copies it to the pod's status")
	return command
}

// ReloadFlags returns the flags of the reloader, which set a configuration.
func ReloadFlags(config *reloader.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("reload", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.StringVar(&config.TLSDirectory, "tls", "", "`directory` with the files tls.crt, tls.key and optionally ca.crt of memcached; empty without TLS")
	flags.StringVar(&config.PasswordFile, "passwords", "", "`file` with lines of user:password, which memcached reads in ASCII mode; empty in any other mode")
	flags.StringVar(&config.CommandAddress, "commands", "127.0.0.1:11213", "`host:port` at which memcached accepts ASCII commands without TLS")
	flags.StringVar(&config.TLSAddress, "serves", "127.0.0.1:11211", "`host:port` at which memcached serves over TLS")
	flags.StringVar(&config.Marker, "marker", "", "`file` that records a reported failure across restarts of the container")
	flags.DurationVar(&config.Interval, "interval", 5*time.Second, "`duration` between two checks of the files")
	flags.DurationVar(&config.Patience, "patience", 30*time.Second, "`duration` for which memcached may not accept changed files before a failure is reported")
	return flags
}

func (o *reloadOptions) run(command *cobra.Command) error {
	if err := o.Check(); err != nil {
		return usageErrorf(command, "%w", err)
	}
	o.Logger = slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil))
	err := reloader.Run(command.Context(), o.Config)
	if err == nil {
		return nil
	}
	if writeErr := os.WriteFile(o.reportFile, []byte(err.Error()), 0o600); writeErr != nil {
		return fmt.Errorf("%w; also, the reason cannot be written: %w", err, writeErr)
	}
	return err
}
