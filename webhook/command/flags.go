package command

import (
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is the value of a flag that accepts only some names.
type choice struct {
	value *string
	names []string
}

func newChoice(value *string, initial string, names ...string) *choice {
	*value = initial
	return &choice{value, names}
}

func (c *choice) String() string { return *c.value }

// Type is what the help shows after the name of the flag.
func (c *choice) Type() string { return strings.Join(c.names, "|") }

func (c *choice) Set(name string) error {
	if !slices.Contains(c.names, name) {
		return errors.New("use " + oneOf(c.names))
	}
	*c.value = name
	return nil
}

// checkAddresses returns an error for a flag that is not a host:port.
func checkAddresses(command *cobra.Command, _ []string) (err error) {
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if placeholder, _ := pflag.UnquoteUsage(flag); placeholder != "host:port" || value == "" {
			return
		}
		if _, _, split := net.SplitHostPort(value); split != nil {
			err = usageErrorf(command, "invalid value %q for flag --%s: use host:port", value, flag.Name)
		}
	})
	return err
}

// completeFlags completes the values of all flags that are not names of files.
func completeFlags(command *cobra.Command) {
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		complete := cobra.NoFileCompletions
		if value, ok := flag.Value.(*choice); ok {
			complete = cobra.FixedCompletions(value.names, cobra.ShellCompDirectiveNoFileComp)
		}
		switch placeholder, _ := pflag.UnquoteUsage(flag); placeholder {
		case "file": // the default
			return
		case "directory":
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		}
		if err := command.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
			panic(err) // the flag exists, and this is its first function
		}
	})
}

// expected returns what the flags of a type accept.
var expected = map[string]string{
	"bool":        "use true or false",
	"duration":    "use a duration, for example 30s or 2m",
	"int":         "use a whole number",
	"int64":       "use a whole number",
	"intSlice":    "use whole numbers separated by commas",
	"stringSlice": "use names separated by commas",
}

// flagError returns an error for a wrong flag as one sentence, without pflag's wording of the cause.
func flagError(command *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, prefix := unknown.GetSpecifiedName(), "--"
		if letters := unknown.GetSpecifiedShortnames(); letters != "" { // also a long flag with one dash
			name, _, _ = strings.Cut(letters, "=")
			prefix = "-"
		}
		return usageErrorf(command, "unknown flag %s%s%s", prefix, name, didYouMean(similarFlags(command, name)))
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		placeholder, _ := pflag.UnquoteUsage(missing.GetFlag())
		return usageErrorf(command, "flag --%s needs a value: --%s=%s", missing.GetFlag().Name, missing.GetFlag().Name, placeholder)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		want, ok := expected[invalid.GetFlag().Value.Type()]
		if !ok {
			want = errors.Unwrap(invalid).Error()
		}
		return usageErrorf(command, "invalid value %q for flag --%s: %s", invalid.GetValue(), invalid.GetFlag().Name, want)
	}
	return usageErrorf(command, "%w", err)
}

// similarFlags returns the flags with a name similar to a misspelled one. Cobra compares only the names of commands.
func similarFlags(command *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
	})
	similar := names.SuggestionsFor(name)
	for i := range similar {
		similar[i] = "--" + similar[i]
	}
	return similar
}

// didYouMean returns the end of a sentence with suggestions for a misspelled name; "" without suggestions.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + oneOf(names) + "?"
}

// oneOf returns names as in "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
