// Package command is the command line of memcached-operator: its commands and their flags. It uses cobra, as the tools of
// Kubernetes do.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/text"
)

// The exit codes of errors. That of a signal is not exitFailure, so that the status of a pod tells one from the other.
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
	root, started := newRoot(version), false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "memcached-operator:", text.Lines(err.Error()))
	if _, wrong := errors.AsType[usageError](err); wrong || !started {
		fmt.Fprintf(os.Stderr, "Run '%s --help' for usage.\n", command.CommandPath())
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		return exitSignal
	}
	return exitFailure
}

// usageError is an error in the command line that cobra does not find.
type usageError struct{ error }

func usageErrorf(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// forUsers is the group of the commands that users run, with cobra's own.
const forUsers = "Commands for users:"

// newRoot sets no templates, because text/template makes the linker keep all methods of all types: a fifth of the binary.
func newRoot(version string) *cobra.Command {
	if version == "" {
		version = builtVersion()
	}
	root := &cobra.Command{
		Use: "memcached-operator",
		Long: `memcached-operator runs memcached on Kubernetes. Metacontroller calls the operator's hooks for each custom resource.
Documentation: https://github.com/example/memcached-operator

The exit code is 0 on success, 1 on failure, and 2 if the command line is invalid.`,
		Example: `  memcached-operator render cache.yaml
  memcached-operator advise 10.0.0.1`,
		Version:       fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		SilenceErrors: true, // Main prints the error
		SilenceUsage:  true,
	}
	addGroup(root, forUsers, newRender(), newAdvise())
	root.SetHelpCommandGroupID(forUsers)
	root.SetCompletionCommandGroupID(forUsers)
	addGroup(root, "Commands that pods run:", newServe(version), newReload(), newHold(), newExport(), newReach(), newCopy(), newClean())
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, args []string) error { // cobra prints an unknown name as it is, and the exit code is 0
			_, _, err := root.Find(args)
			return err
		}
	}
	return root
}

// addGroup adds commands that the help lists together.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, command := range commands {
		command.GroupID = title
		command.Flags().SortFlags = false
	}
	root.AddCommand(commands...)
}

// builtVersion returns the version that the go command has recorded.
func builtVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// inPod completes a command that pods run. It logs to stderr, and its memory follows the limit of the container.
func inPod(command *cobra.Command, check func() error, run func(context.Context, *slog.Logger) error) *cobra.Command {
	command.Args = cobra.NoArgs
	command.RunE = func(command *cobra.Command, _ []string) error {
		if err := check(); err != nil {
			return usageError{err}
		}
		limitMemory(memoryFile)
		return run(command.Context(), slog.New(slog.NewTextHandler(command.ErrOrStderr(), nil)))
	}
	return command
}
