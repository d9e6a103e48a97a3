package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// program is a program of the control plane.
type program struct {
	name, module, pkg string
	// versionArgs make the program print its version.
	versionArgs []string
}

const (
	kubernetesModule = "k8s.io/kubernetes"
	// kubernetesProgram does what its name says, so that it has several.
	kubernetesProgram = "github.com/example/memcached-operator/test/cluster/programs/kubernetes"
)

var programs = []program{
	{"etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3", []string{"--version"}},
	{"kube-apiserver", kubernetesModule, kubernetesProgram, []string{"--version"}},
	{"kube-scheduler", kubernetesModule, kubernetesProgram, []string{"--version"}},
	{"kube-controller-manager", kubernetesModule, kubernetesProgram, []string{"--version"}},
	{"kwok", "sigs.k8s.io/kwok", "sigs.k8s.io/kwok/cmd/kwok", []string{"--version"}},
	{"kubectl", kubernetesModule, kubernetesModule + "/cmd/kubectl", []string{"version", "--client"}},
	{"helm", "helm.sh/helm/v4", "helm.sh/helm/v4/cmd/helm", []string{"version", "--short"}},
}

// Build returns the paths of the control plane's programs by name, without those to omit. It uses programs of the pinned minor
// version in KUBEBUILDER_ASSETS or PATH. It builds the others once, into the user's cache directory. All are in the module
// test/cluster/programs, so that the packages that they share compile once.
func Build(ctx context.Context, omit []string, progress io.Writer) (map[string]string, error) {
	root, err := Repository(ctx)
	if err != nil {
		return nil, err
	}
	module := filepath.Join(root, "test", "cluster", "programs")
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return nil, err
	}
	dir, err := programsDir(module, mod)
	if err != nil {
		return nil, err
	}
	locked, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer locked.Close()
	paths := map[string]string{}
	var missing []program
	for _, p := range programs {
		if slices.Contains(omit, p.name) {
			continue
		}
		if path := p.installed(ctx, pinned(p.module, mod), progress); path != "" {
			paths[p.name] = path
			continue
		}
		paths[p.name] = filepath.Join(dir, p.name)
		if !isExecutable(paths[p.name]) {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return paths, nil
	}
	return paths, buildPrograms(ctx, module, dir, missing, pinned(kubernetesModule, mod), progress)
}

// programsDir returns the directory of the programs that are built from the sources of a module, and from its go.mod.
func programsDir(module string, mod []byte) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache directory for built programs: %w", err)
	}
	sources, err := filepath.Glob(filepath.Join(module, "kubernetes", "*.go"))
	if err != nil {
		return "", err
	}
	for _, source := range sources {
		content, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
		mod = append(mod, content...)
	}
	return filepath.Join(cache, "memcached-operator", fmt.Sprintf("programs-%s-%s-%.4x", runtime.GOOS, runtime.GOARCH, sha256.Sum256(mod))), nil
}

// lock creates the directory and locks it until it is closed, so that only one process builds programs. The others wait.
func lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	locked, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	return locked, syscall.Flock(int(locked.Fd()), syscall.LOCK_EX)
}

// pinned returns the version of a module in the text of a go.mod, without the v.
func pinned(module string, mod []byte) string {
	match := regexp.MustCompile(`(?m)^\s+` + regexp.QuoteMeta(module) + ` v([0-9.]+)`).FindSubmatch(mod)
	if match == nil {
		return ""
	}
	return string(match[1])
}

var version = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`)

// installed returns the path of the program in KUBEBUILDER_ASSETS or PATH if it has the minor version of the pinned one, and
// "" otherwise.
func (p program) installed(ctx context.Context, pinned string, progress io.Writer) string {
	minor := pinned[:strings.LastIndex(pinned, ".")+1]
	for _, dir := range append([]string{os.Getenv("KUBEBUILDER_ASSETS")}, filepath.SplitList(os.Getenv("PATH"))...) {
		path := filepath.Join(dir, p.name)
		if dir == "" || !isExecutable(path) {
			continue
		}
		out, err := exec.CommandContext(ctx, path, p.versionArgs...).CombinedOutput()
		found := version.Find(out)
		if err == nil && strings.HasPrefix(string(found), minor) {
			fmt.Fprintf(progress, "Using %s %s.\n", path, found)
			return path
		}
		fmt.Fprintf(progress, "Not using %s: its version is %q, and the tests need %sx.\n", path, found, minor)
	}
	return ""
}

// buildPrograms builds the programs into dir. It links each finished program there in one step, so that dir never has a part
// of a program.
func buildPrograms(ctx context.Context, module, dir string, missing []program, kubernetes string, progress io.Writer) error {
	unfinished, err := os.MkdirTemp(dir, "unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	var names, packages []string
	for _, p := range missing {
		names, packages = append(names, p.name), append(packages, p.pkg)
	}
	packages = slices.Compact(packages) // programs of one package are next to each other
	fmt.Fprintf(progress, "Building %s, once for all later runs. Then the control plane starts.\n", strings.Join(names, ", "))
	flags := []string{"-ldflags", linkerFlags(kubernetes)}
	total, err := stalePackages(ctx, module, append(flags, packages...), progress)
	if err != nil {
		return err
	}
	build := goCommand(ctx, module, append(append([]string{"build", "-v", "-o", unfinished + "/"}, flags...), packages...)...)
	if _, err := runCounting(build, progress, func(lines int) string {
		return fmt.Sprintf("%d of %d packages compiled", min(lines, total), total)
	}); err != nil {
		return fmt.Errorf("build %s: %w", strings.Join(names, ", "), err)
	}
	for _, p := range missing {
		if err := os.Link(filepath.Join(unfinished, binaryName(p.pkg)), filepath.Join(dir, p.name)); err != nil {
			return err
		}
	}
	return nil
}

// stalePackages downloads the modules and returns the number of packages that a build has to compile.
func stalePackages(ctx context.Context, module string, args []string, progress io.Writer) (int, error) {
	list := goCommand(ctx, module, append([]string{"list", "-deps", "-f", "{{if .Stale}}stale{{end}}"}, args...)...)
	out, err := runCounting(list, progress, func(lines int) string { return fmt.Sprintf("%d modules downloaded", lines) })
	if err != nil {
		return 0, fmt.Errorf("list the packages to build: %w", err)
	}
	return bytes.Count(out, []byte("stale")), nil
}

// linkerFlags leave out the debugging tables and set the version of Kubernetes: a controller manager of version v0.0.0 does
// not accept the API server.
func linkerFlags(kubernetes string) string {
	parts := strings.SplitN(kubernetes, ".", 3)
	const variable = " -X k8s.io/component-base/version."
	return "-s -w" + variable + "gitVersion=v" + kubernetes + variable + "gitMajor=" + parts[0] + variable + "gitMinor=" + parts[1]
}

// binaryName returns the name that go build gives to the binary of a package: the last element of its path that is not a
// major version.
func binaryName(pkg string) string {
	if dir, last := filepath.Split(pkg); regexp.MustCompile(`^v[0-9]+$`).MatchString(last) {
		return filepath.Base(dir)
	}
	return filepath.Base(pkg)
}

// runCounting runs a go command and returns its output. While it runs, progress gets a line every five seconds, which
// describe returns for the number of lines that the command wrote to standard error.
func runCounting(cmd *exec.Cmd, progress io.Writer, describe func(lines int) string) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var count atomic.Int64
	var text []string
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); count.Add(1) {
			text = append(text, lines.Text())
		}
	}()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintf(progress, "  %s: %s\n", time.Since(start).Round(time.Second), describe(int(count.Load())))
		case <-read:
			if err := cmd.Wait(); err != nil {
				return nil, fmt.Errorf("%w\n%s", err, strings.Join(text[max(0, len(text)-20):], "\n"))
			}
			return out.Bytes(), nil
		}
	}
}

// Repository returns the root directory of the repository, two levels above this module.
func Repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/example/memcached-operator/test/cluster").Output()
	if err != nil {
		return "", fmt.Errorf("find the module test/cluster (is the current directory inside it?): %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "..", ".."), nil
}

// goCommand returns a go command that builds without cgo, so that it needs no C compiler and all programs share packages. A
// larger heap saves the compiler CPU time.
func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOGC=400")
	return cmd
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
