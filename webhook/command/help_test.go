package command_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
)

// TestHelp checks the help of each command, which help, --help and -h print to stdout, and completion to the flags.
func TestHelp(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"":           {"serve ", "render ", "advise ", "reload ", "hold ", "export ", "reach ", "copy ", "clean ", "version ", "completion ", "--help"},
		"serve":      {"memcached-operator serve [flags]", "--ops-address host:port", "TLS and authentication:\n", "--max-body-bytes bytes", "--shutdown-delay duration", "--log-level debug|info|warn|error", "--help"},
		"render":     {"memcached-operator render [flags] FILE...", "-f, --filename file", "-o, --output yaml|json", "--observed file", "--skip-others", "--help"},
		"advise":     {"memcached-operator advise [flags] HOST[:PORT]...", "-f, --filename file", "-o, --output text|json", "--watch duration", "TLS:\n", "--tls-ca file", "--auth none|ascii|sasl", "--help"},
		"reload":     {"--passwords file", "--tls directory", "--report file", "--help"},
		"export":     {"--address host:port", "--proxy host:port", "--help"},
		"hold":       {"--address host:port", "--memcached host:port", "--grace duration", "--help"},
		"reach":      {"--proxy host:port", "--wait time", "--copy-to file", "--help"},
		"copy":       {"--from host:port", "--through host:port", "--rate number", "--help"},
		"clean":      {"--server host:port", "--index number", "--of number", "--help"},
		"version":    {"-o, --output text|json", "--help"},
		"completion": {"bash ", "fish ", "powershell ", "zsh ", "--help"},
	} {
		args := strings.Fields(command)
		help, stderr, code := finish(t, append(args, "--help")...)
		if code != 0 || stderr != "" {
			t.Errorf("%q --help: exit code %d, stderr %q, want 0 and no errors", command, code, stderr)
		}
		if command != "completion" {
			want = append(want, "Examples:\n")
		}
		for _, text := range want {
			if !strings.Contains(help, text) {
				t.Errorf("the help of %q has no %q:\n%s", command, text, help)
			}
		}
		for _, flag := range []string{"-v,", "--v ", "--vmodule", "--logtostderr", "--alsologtostderr", "--stderrthreshold", "--log_", "--skip_", "--add_dir_header", "--one_output"} {
			if strings.Contains(help, flag) {
				t.Errorf("the help of %q has the flag %s of klog", command, flag)
			}
		}
		for _, other := range [][]string{append(args, "-h"), append([]string{"help"}, args...)} {
			if same, _, code := finish(t, other...); code != 0 || same != help {
				t.Errorf("%q prints another text than %q --help (--help +%q), with exit code %d:\n%s", other, command, other, code, cmp.Diff(help, same))
			}
		}
	}
	if help, _, code := finish(t); code != 0 || !strings.Contains(help, "Commands:\n") {
		t.Errorf("without arguments: exit code %d, output %q, want the help", code, help)
	}
}

// TestCompletion checks what a shell gets for the last word of a command line.
func TestCompletion(t *testing.T) {
	t.Parallel()
	const noFiles, onlyExtensions, onlyDirectories, files = ":4", ":8", ":16", ":0"
	for _, test := range []struct {
		reason    string
		words     []string
		want      []string
		directive string
	}{
		{"a command", []string{"re"}, []string{"reach", "reload", "render"}, noFiles},
		{"a level", []string{"serve", "--log-level", ""}, []string{"debug", "info", "warn", "error"}, noFiles},
		{"a format after =", []string{"serve", "--log-format="}, []string{"text", "json"}, noFiles},
		{"a version of TLS", []string{"serve", "--tls-min-version", ""}, []string{"1.2", "1.3"}, noFiles},
		{"an output format", []string{"render", "-o", ""}, []string{"yaml", "json"}, noFiles},
		{"a format of the version", []string{"version", "--output", ""}, []string{"text", "json"}, noFiles},
		{"a number", []string{"serve", "--max-connections", ""}, nil, noFiles},
		{"a file with a certificate", []string{"serve", "--tls-cert", ""}, nil, files},
		{"a directory", []string{"reload", "--tls", ""}, nil, onlyDirectories},
		{"a file with a custom resource", []string{"render", ""}, []string{"yaml", "yml", "json"}, onlyExtensions},
		{"serve has no arguments", []string{"serve", ""}, nil, noFiles},
		{"a command after help", []string{"help", "ver"}, []string{"version"}, noFiles},
	} {
		out, _, code := finish(t, append([]string{"__complete"}, test.words...)...)
		var got []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, word)
		}
		if diff := cmp.Diff(append(test.want, test.directive), got); diff != "" || code != 0 {
			t.Errorf("%s: exit code %d, %q completes differently (-want +got):\n%s", test.reason, code, test.words, diff)
		}
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		script, stderr, code := finish(t, "completion", shell)
		if code != 0 || stderr != "" || !strings.Contains(script, "memcached-operator") {
			t.Errorf("completion %s: exit code %d, stderr %q, and a script of %d bytes", shell, code, stderr, len(script))
		}
	}
}

// TestContainerArguments checks that the program accepts the arguments of its containers in the golden responses.
func TestContainerArguments(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"auth-ascii": "reloader", "metrics-of-tls-and-sasl": "reloader", "proxies-created": "hold", "proxies-copy-begins": "copy", "proxies-cleaning": "reach"} {
		content, err := os.ReadFile("../../test/testdata/memcached/sync/" + name + "/response.json")
		if err != nil {
			t.Fatal(err)
		}
		var response struct{ Children []appsv1.Deployment }
		if err := json.Unmarshal(content, &response); err != nil {
			t.Fatal(err)
		}
		var args []string
		for _, child := range response.Children {
			for _, container := range slices.Concat(child.Spec.Template.Spec.InitContainers, child.Spec.Template.Spec.Containers) {
				if container.Name == command {
					args = container.Args
				}
			}
		}
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$(JOB_COMPLETION_INDEX)", "1") // as the kubelet does
		}
		if _, stderr, code := finish(t, append(args, "--help")...); len(args) < 2 || code != 0 {
			t.Errorf("%s: exit code %d for the arguments %q of %s: %s", name, code, args, command, stderr)
		}
	}
}
