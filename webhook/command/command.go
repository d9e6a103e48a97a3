// Package command is the command line of memcached-operator: its subcommands and their flags.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/example/memcached-operator/webhook"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/reloader"
)

const serveUsage = `memcached-operator serves Metacontroller's hooks for Memcached.

Usage:
  memcached-operator [serve] [flags]   serve the hooks over HTTP
  memcached-operator render FILE...    print the desired state of custom resources, without a cluster
  memcached-operator reload [flags]    run next to memcached and reload changed certificates and passwords
  memcached-operator version           print the version

Flags of serve:
`

// usageError is an error in the command line. The exit code is 2.
type usageError struct{ error }

// Main runs the program with the arguments of the process, and returns its exit code. version is empty if the linker did not
// set it.
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program immediately.
	context.AfterFunc(ctx, stop)
	err := run(ctx, version, os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "memcached-operator:", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

func run(ctx context.Context, version string, args []string, stdout, stderr io.Writer) error {
	if version == "" {
		version = builtVersion()
	}
	command := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		return serve(ctx, version, args, stdout, stderr)
	case "render":
		return renderFiles(args, os.Stdin, stdout)
	case "reload":
		return reload(ctx, args, stdout, stderr)
	case "version":
		return printVersion(version, args, stdout)
	case "help":
		return serve(ctx, version, []string{"-h"}, stdout, stderr)
	}
	return usageError{fmt.Errorf("unknown command %q: use serve, render, reload or version, or -h for help", command)}
}

func serve(ctx context.Context, version string, args []string, stdout, stderr io.Writer) error {
	config := webhook.Config{Version: version}
	var caches memcached.Config
	var level slog.Level
	var format string
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	config.AddFlags(flags)
	addReloaderImage(flags, &caches)
	flags.DurationVar(&caches.MaxClockSkew, "max-clock-skew", 2*time.Minute, "maximum difference in `time` between the clocks of two machines of the cluster; a change of size with proxies waits longer by it")
	flags.TextVar(&level, "log-level", slog.LevelInfo, "minimum `level` of log lines: debug, info, warn or error")
	flags.StringVar(&format, "log-format", "text", "`format` of log lines: text or json")

	if ok, err := parse(flags, args, stdout, serveUsage); !ok {
		return err
	}
	if err := config.Check(); err != nil {
		return usageError{err}
	}
	handler, err := logHandler(format, stderr, level)
	if err != nil {
		return usageError{err}
	}
	config.Logger = slog.New(handler)
	config.Controllers = parents.Controllers(caches)
	return webhook.Serve(ctx, config)
}

// addReloaderImage adds the flag that serve and render share.
func addReloaderImage(flags *flag.FlagSet, caches *memcached.Config) {
	flags.StringVar(&caches.ReloaderImage, "reloader-image", "", "`image` of this program, which makes memcached load changed certificates and passwords; empty for no reloader")
}

// parse parses the flags of a command. Only render accepts other arguments. It returns false if the command must not run: after printing
// the help, or with a usageError.
func parse(flags *flag.FlagSet, args []string, stdout io.Writer, usage string) (bool, error) {
	flags.SetOutput(io.Discard) // Main prints the error
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return false, nil
	case err != nil:
		return false, usageError{err}
	case flags.NArg() > 0 && flags.Name() != "render":
		return false, usageError{fmt.Errorf("%s accepts only flags, not %q", flags.Name(), flags.Arg(0))}
	}
	return true, nil
}

func logHandler(format string, w io.Writer, level slog.Level) (slog.Handler, error) {
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "text":
		return slog.NewTextHandler(w, options), nil
	case "json":
		return slog.NewJSONHandler(w, options), nil
	}
	return nil, fmt.Errorf("invalid value %q for flag -log-format: use text or json", format)
}

const reloadUsage = `memcached-operator reload runs next to memcached in the same pod. When the files of certificates or passwords change, it
makes memcached reload them. If memcached does not accept a change, reload writes the reason to a file and exits with 1.
Once memcached accepts the files again, reload exits with 0.

`

func reload(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var config reloader.Config
	var reportFile string
	flags := flag.NewFlagSet("reload", flag.ContinueOnError)
	config.AddFlags(flags)
	flags.StringVar(&reportFile, "report", "/dev/termination-log", "`file` for the reason of a failure; the kubelet copies it to the pod's status")
	if ok, err := parse(flags, args, stdout, reloadUsage); !ok {
		return err
	}
	if err := config.Check(); err != nil {
		return usageError{err}
	}
	config.Logger = slog.New(slog.NewTextHandler(stderr, nil))
	err := reloader.Run(ctx, config)
	if err == nil {
		return nil
	}
	return errors.Join(err, os.WriteFile(reportFile, []byte(err.Error()), 0o600))
}

func printVersion(version string, args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("version accepts no arguments, not %q", args[0])}
	}
	_, err := fmt.Fprintf(stdout, "memcached-operator %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// builtVersion returns the version that the go command has recorded.
func builtVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
