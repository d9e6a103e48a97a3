// Package command is the command line of memcached-operator: its commands and their flags. It uses cobra, as the tools of
// Kubernetes do, because cobra suggests names and completes command lines in shells.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of errors. That of a signal is not exitFailure, after which the Job of a warm-up gives up.
const (
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128 + int(syscall.SIGTERM)
)

// Main runs the program with the arguments of the process, and returns its exit code. version is empty if the linker did not
// set it.
func Main(version string) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as after nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// A second signal ends the program immediately.
	context.AfterFunc(ctx, stop)
	err := newRoot(version).ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "memcached-operator:", err)
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintf(os.Stderr, "Run '%s --help' for usage.\n", usage.command.CommandPath())
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		return exitSignal
	}
	return exitFailure
}

// usageError is an error in the command line, and the command whose help shows what is right.
type usageError struct {
	error
	command *cobra.Command
}

func usageErrorf(command *cobra.Command, format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), command}
}

func newRoot(version string) *cobra.Command {
	if version == "" {
		version = builtVersion()
	}
	root := &cobra.Command{
		Use: "memcached-operator",
		Long: `memcached-operator runs Memcached on Kubernetes: Metacontroller calls it for each resource.

The exit code is 0 after success, 1 after a failure, and 2 if the command line is wrong.`,
		Example: `  memcached-operator render -f cache.yaml
  memcached-operator advise 10.0.0.1`,
		PersistentPreRunE: checkAddresses,
		SilenceErrors:     true, // Main prints the error
		SilenceUsage:      true,
	}
	root.Version = version
	root.Flags().Bool("version", false, "print the version") // cobra's has the short name -v, which many programs use for their logs
	root.SetVersionTemplate(ofBuild(version).String() + "\n")
	root.AddCommand(newServe(version), newRender(), newAdvise(), newReload(), newHold(), newExport(), newReach(), newCopy(), newClean(), newVersion(version))
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(printUsage)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	requireSubcommand(root)
	for _, command := range root.Commands() {
		completeFlags(command)
		switch command.Name() {
		case "help":
			command.RunE = help
		case "completion":
			requireSubcommand(command)
			for _, shell := range command.Commands() {
				shell.Args = noArgs
			}
		}
	}
	return root
}

// requireSubcommand makes a command print its help without arguments, and refuse an unknown subcommand. By default, cobra's
// error has several lines, and completion accepts any argument.
func requireSubcommand(command *cobra.Command) {
	command.Args = cobra.ArbitraryArgs
	command.RunE = func(command *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(command, args[0])
		}
		return command.Help()
	}
}

func unknownCommand(parent *cobra.Command, name string) error {
	parent.SuggestionsMinimumDistance = 2 // cobra's default, which it sets only for its own message
	return usageErrorf(parent, "unknown command %q%s", name, didYouMean(parent.SuggestionsFor(name)))
}

// help prints the help of the command that the arguments name. By default, cobra accepts an unknown command.
func help(command *cobra.Command, args []string) error {
	target, rest, err := command.Root().Find(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return unknownCommand(target, rest[0])
	}
	target.InitDefaultHelpFlag() // otherwise the help does not list --help
	return target.Help()
}

// noArgs refuses arguments other than flags.
func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageErrorf(command, "%s accepts only flags, not %q", command.Name(), args[0])
	}
	return nil
}
