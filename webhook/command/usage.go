package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageColumns is the width of the help.
const usageColumns = 120

// printUsage prints the part of the help below the description. Unlike cobra's, it wraps long lines and shows flags in groups.
func printUsage(command *cobra.Command) error {
	var b strings.Builder
	if !command.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Usage:\n  %s\n", command.UseLine())
	} else {
		fmt.Fprintf(&b, "Usage:\n  %s COMMAND\n\nCommands:\n", command.CommandPath())
		for _, subcommand := range command.Commands() {
			if subcommand.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", subcommand.NamePadding(), subcommand.Name(), subcommand.Short)
			}
		}
	}
	if command.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", command.Example)
	}
	for _, group := range groups(command.Flags()) {
		fmt.Fprintf(&b, "\n%s:\n%s", group.Name(), group.FlagUsagesWrapped(usageColumns))
	}
	if command.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun '%s COMMAND --help' for the flags of a command.\n", command.CommandPath())
	}
	_, err := fmt.Fprint(command.OutOrStderr(), b.String())
	return err
}

const groupAnnotation = "memcached-operator/group"

// addGroup adds flags to a command, which its help shows under a title in the order of their definition.
func addGroup(command *cobra.Command, title string, add func(*pflag.FlagSet)) {
	flags := pflag.NewFlagSet(title, pflag.ContinueOnError)
	flags.SortFlags = false
	add(flags)
	flags.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{groupAnnotation: {title}} })
	command.Flags().SortFlags = false
	command.Flags().AddFlagSet(flags)
}

// groups returns the flags by the titles of addGroup. Flags without a group come last.
func groups(flags *pflag.FlagSet) []*pflag.FlagSet {
	var sets []*pflag.FlagSet
	flags.VisitAll(func(flag *pflag.Flag) {
		title := "Flags"
		if group := flag.Annotations[groupAnnotation]; group != nil {
			title = group[0]
		}
		if len(sets) == 0 || sets[len(sets)-1].Name() != title {
			sets = append(sets, pflag.NewFlagSet(title, pflag.ContinueOnError))
		}
		set := sets[len(sets)-1]
		set.SortFlags = flags.SortFlags
		set.AddFlag(flag)
	})
	return sets
}
