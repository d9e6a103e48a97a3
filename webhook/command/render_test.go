package command_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	validCache   = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: cache}\nspec:\n  size: 2\n"
	kustomized   = "apiVersion: v1\nkind: Namespace\nmetadata: {name: caches}\n---\n" + validCache
	invalidCache = "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: cache}\nspec:\n  size: -2\n"
)

const (
	proxiedCache = validCache + "  proxy: {}\n"
	unchecked    = "The CEL rules of the CRDs were not checked for metadata, spec. Use kubectl apply --dry-run=server to check them.\n"
	noImage      = "Without --operator-image, containers, probes and timeouts of these objects differ from what an operator with --operator-image creates: StatefulSet default/cache, Deployment default/cache-proxy\n"
)

// TestRenderExitCodes checks the documented exit codes, that only 0 comes with output, and what it does not check.
func TestRenderExitCodes(t *testing.T) {
	t.Parallel()
	endless := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(endless, "a\n::error::cache.yaml")); err != nil {
		t.Fatal(err)
	}
	valid, mixed, invalid := writeFiles(t, validCache), writeFiles(t, kustomized), writeFiles(t, invalidCache)
	cases := []struct {
		reason, stdin string
		args          []string
		code          int
		output        string
	}{
		{"a file as an argument", "", []string{filepath.Join(valid, "caches/cache.yaml")}, 0, "kind: Deployment"},
		{"a file as a flag", "", []string{"-f", filepath.Join(valid, "caches/cache.yaml")}, 0, "kind: Deployment"},
		{"a directory", "", []string{valid}, 0, "kind: Deployment"},
		{"standard input", validCache, []string{"-"}, 0, "kind: Deployment"},
		{"the output of kustomize", kustomized, []string{"--skip-others", "-"}, 0, "kind: Deployment"},
		{"proxies without an image", proxiedCache, []string{"-"}, 0, noImage},
		{"proxies with an image", proxiedCache, []string{"--operator-image=operator", "-"}, 0, "name: hold"},
		{"a key without a value, which a terminal executes", validCache + "  podLabels: {\"\\e[31m\\n::error::\": null}\n", []string{"-"}, 0,
			strings.Replace(unchecked, "spec.", "spec, spec.podLabels, spec.podLabels[].", 1)},
		{"nothing", "# no cache\n", []string{"-"}, 1, "nothing to render"},
		{"a directory without resources", "", []string{t.TempDir()}, 1, "nothing to render"},
		{"only other kinds that are skipped", "apiVersion: v1\nkind: Pod\n", []string{"--skip-others", "-"}, 0, ""},
		{"another kind", kustomized, []string{"-"}, 1, "standard input, Namespace caches: the operator has no controller"},
		{"another kind in a directory", "", []string{mixed}, 1, "cache.yaml, Namespace caches: the operator has no controller"},
		{"another kind in a directory is skipped", "", []string{"--skip-others", mixed}, 0, "kind: Deployment"},
		{"one invalid file of a directory", "", []string{valid, invalid}, 1, "cache.yaml, Memcached cache: spec.size"},
		{"a device in a directory of somebody else, whose name has two lines", "", []string{endless}, 1, "a ::error::cache.yaml is neither a file nor a directory"},
		{"a file that does not exist", "", []string{valid, "nothing.yaml"}, 1, "nothing.yaml"},
		{"an unknown flag", "", []string{"--skip-other", valid}, 2, "unknown flag: --skip-other"},
	}
	for _, test := range cases {
		var stdout, stderr bytes.Buffer
		cmd := program(t, append([]string{"render"}, test.args...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(test.stdin), &stdout, &stderr
		code := exitCode(t, cmd.Run())
		notes := stderr.String()
		switch {
		case code != 0:
			notes = stdout.String()
		case stdout.Len() > 0:
			notes = strings.TrimPrefix(notes, unchecked)
		}
		if code != test.code || !strings.Contains(stdout.String()+stderr.String(), test.output) || notes != "" && notes != test.output {
			t.Errorf("%s: exit code %d, stdout %.200q, stderr %q; want %d and only %q", test.reason, code, stdout.String(), stderr.String(), test.code, test.output)
		}
	}
}

// TestPreCommitHooks runs the commands of the pre-commit hooks in a Git repository, as pre-commit does.
func TestPreCommitHooks(t *testing.T) {
	t.Parallel()
	var hooks []struct {
		ID, Entry string
		Args      []string
	}
	content, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err == nil {
		err = yaml.Unmarshal(content, &hooks)
	}
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for _, hook := range hooks {
		entries[hook.ID] = strings.Join(append([]string{hook.Entry}, hook.Args...), " ")
	}
	dir := writeFiles(t, validCache)
	shell(t, dir, `git init --quiet && echo "*.yaml diff=memcached" >.gitattributes && git add . &&
		git -c user.name=t -c user.email=t@example.com commit --quiet --message=before`)
	shell(t, dir, "sed -i 's/size: 2/size: 3/' caches/cache.yaml && git add .")
	if out, code := shell(t, dir, entries["memcached-operator-render"]+" caches/cache.yaml"); code != 0 {
		t.Errorf("the hook fails for a valid change with exit code %d:\n%s", code, out)
	}
	out, code := shell(t, dir, entries["memcached-operator-diff"]+" caches/cache.yaml")
	if code != 0 || !strings.Contains(out, "\n-  replicas: 2\n+  replicas: 3\n") || strings.Contains(out, "size") {
		t.Errorf("exit code %d, want 0 and the difference of the replicas:\n%s", code, out)
	}
	shell(t, dir, "sed -i 's/size: 3/size: -3/' caches/cache.yaml && git add .")
	if out, code := shell(t, dir, entries["memcached-operator-render"]+" caches/cache.yaml"); code != 1 || !strings.Contains(out, "caches/cache.yaml, Memcached ") {
		t.Errorf("exit code %d for an invalid change, want 1 and the object:\n%s", code, out)
	}

	const flag = "--operator-image=x.yaml" // a name of a file that is a flag
	shell(t, dir, "git checkout --quiet HEAD -- caches/cache.yaml && sed 's/size: 2/size: -3/' caches/cache.yaml >./"+flag+" && git add .")
	if out, code := shell(t, dir, entries["memcached-operator-render"]+" caches/cache.yaml "+flag); code != 1 || !strings.Contains(out, flag+", Memcached ") {
		t.Errorf("exit code %d for an invalid file with the name of a flag, want 1 and the object:\n%s", code, out)
	}
	shell(t, dir, "sed 's/name: /name: other-/' caches/cache.yaml >./"+flag+" && git add .")
	if out, code := shell(t, dir, entries["memcached-operator-diff"]+" "+flag); code != 0 || !strings.Contains(out, "\n+kind: Deployment\n") {
		t.Errorf("exit code %d for a file with the name of a flag, want 0 and the objects:\n%s", code, out)
	}
}

// writeFiles writes a file with custom resources, and files that render does not read, and returns their directory.
func writeFiles(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"caches/cache.yaml": content, ".github/workflow.yaml": "jobs: {}\n", "README.md": "# Caches\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shell runs a command line in a directory. The command memcached-operator is the program.
func shell(t *testing.T, dir, line string) (output string, code int) {
	t.Helper()
	bin := t.TempDir()
	binary, err := os.Executable()
	if err == nil {
		err = os.Symlink(binary, filepath.Join(bin, "memcached-operator"))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(program(t).Env, "PATH="+bin+":"+os.Getenv("PATH"), "GIT_PAGER=cat")
	out, err := cmd.CombinedOutput()
	return string(out), exitCode(t, err)
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	if !ended {
		t.Fatal(err)
	}
	return exit.ExitCode()
}
