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

func ofBuild(version string) programVersion {
	return programVersion{version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

func (v programVersion) String() string {
	return fmt.Sprintf("memcached-operator %s (%s, %s)", v.Version, v.GoVersion, v.Platform)
}

func newVersion(version string) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:               "version [flags]",
		Short:             "Print the version",
		Long:              "Print the version of memcached-operator, the version of Go that compiled it, and its platform.",
		Example:           "  memcached-operator version -o json",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			printed := ofBuild(version)
			if format == "json" {
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(printed)
			}
			_, err := fmt.Fprintln(command.OutOrStdout(), printed)
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
