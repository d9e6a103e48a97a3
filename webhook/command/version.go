package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// programVersion is the output of version --output json.
type programVersion struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func newVersion(version string) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:               "version [flags]",
		Short:             "Print the version",
		Long:              "Print the version of memcached-operator, the version of Go that compiled it, and its platform.",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			printed := programVersion{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if format == "json" {
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(printed)
			}
			_, err := fmt.Fprintf(command.OutOrStdout(), "memcached-operator %s (%s, %s)\n", printed.Version, printed.GoVersion, printed.Platform)
			return err
		},
	}
	command.Flags().VarP(newChoice(&format, "text", "text", "json"), "output", "o", "format of the output")
	return command
}

// builtVersion returns the version that the go command has recorded.
func builtVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
