package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/reach"
)

type reachOptions struct {
	proxy, copyTo string
	wait          time.Duration
}

func newReach() *cobra.Command {
	var options reachOptions
	command := &cobra.Command{
		Use:   "reach",
		Short: "Check whether a proxy reaches a server",
		Long: `Read keys through a proxy until a server responds. reach is the startup probe of proxies: a proxy is not available until it has
reached a server. The probe runs in the proxy's container. With --copy-to, an init container copies this program for the
probe.

The exit code is 0 once a server has responded, and 1 if no server has responded in time.`,
		Example: "  memcached-operator reach --proxy 127.0.0.1:11211 --wait 5s",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if options.copyTo != "" {
				return copyProgram(options.copyTo)
			}
			ctx, cancel := context.WithTimeout(command.Context(), options.wait)
			defer cancel()
			return reach.Wait(ctx, options.proxy)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.proxy, "proxy", "127.0.0.1:11211", "`host:port` of the proxy")
	flags.DurationVar(&options.wait, "wait", 8*time.Second, "maximum `duration` to wait for a response")
	flags.StringVar(&options.copyTo, "copy-to", "", "`file` to copy this program to, instead of reading keys")
	return command
}

// copyProgram copies this program to a file. A copy that was interrupted is replaced.
func copyProgram(file string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	source, err := os.Open(program)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return fmt.Errorf("copy to %s: %w", file, err)
	}
	return target.Close()
}
