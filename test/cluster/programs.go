package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// program is a program of the control plane and its Go package.
type program struct {
	name   string
	dir    string // under programs/: the module that pins the versions of the program and its dependencies
	module string // the module that has the program's version
	pkg    string
}

const kubernetesModule = "k8s.io/kubernetes"

var programs = []program{
	{"etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"},
	{"kwok", "kwok", "sigs.k8s.io/kwok", "sigs.k8s.io/kwok/cmd/kwok"},
	{"kubectl", "kubernetes", kubernetesModule, kubernetesModule + "/cmd/kubectl"},
	{"kube-apiserver", "kubernetes", kubernetesModule, kubernetesModule + "/cmd/kube-apiserver"},
	{"kube-controller-manager", "kubernetes", kubernetesModule, kubernetesModule + "/cmd/kube-controller-manager"},
	{"kube-scheduler", "kubernetes", kubernetesModule, kubernetesModule + "/cmd/kube-scheduler"},
}

// Build returns the paths of the control plane's programs by name. It uses the programs in KUBEBUILDER_ASSETS and builds
// the others once, from their Go modules, into the user's cache directory.
func Build(ctx context.Context, progress io.Writer) (map[string]string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find a cache directory for built programs: %w", err)
	}
	root, err := repository(ctx)
	if err != nil {
		return nil, err
	}
	paths := make(map[string]string, len(programs))
	for i, p := range programs {
		if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" && isExecutable(filepath.Join(assets, p.name)) {
			paths[p.name] = filepath.Join(assets, p.name)
			continue
		}
		module := filepath.Join(root, "test", "cluster", "programs", p.dir)
		version, dir, err := cacheDir(ctx, p, module)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(cache, "memcached-operator", dir, p.name)
		paths[p.name] = path
		if isExecutable(path) {
			continue
		}
		label := fmt.Sprintf("building %s %s (%d of %d, only the first time)", p.name, version, i+1, len(programs))
		if err := p.build(ctx, module, version, path, label, progress); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// cacheDir returns the directory of a built program. The name contains the version and a hash of go.mod, because a newer
// dependency results in a different binary.
func cacheDir(ctx context.Context, p program, module string) (version, dir string, err error) {
	out, err := goCommand(ctx, module, "list", "-m", "-f", "{{.Version}}", p.module).Output()
	if err != nil {
		return "", "", fmt.Errorf("read the version of %s in %s: %w", p.module, module, err)
	}
	mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return "", "", err
	}
	version = strings.TrimSpace(string(out))
	return version, fmt.Sprintf("%s-%s-%s-%s-%.4x", p.dir, version, runtime.GOOS, runtime.GOARCH, sha256.Sum256(mod)), nil
}

// build moves the finished program to path atomically, so that an interrupted build leaves no program there.
func (p program) build(ctx context.Context, module, version, path, label string, progress io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(filepath.Dir(path), "unfinished-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)
	built := filepath.Join(unfinished, p.name)
	cmd := goCommand(ctx, module, "build", "-v", "-ldflags", p.ldflags(version), "-o", built, p.pkg)
	if err := runShowing(cmd, label, progress); err != nil {
		return fmt.Errorf("build %s %s: %w", p.name, version, err)
	}
	return os.Rename(built, path)
}

// ldflags omits the debugging tables, which halves the link time, and sets the version of Kubernetes, because
// kube-controller-manager v0.0.0 refuses to work with the API server.
func (p program) ldflags(version string) string {
	flags := "-s -w"
	if p.module == kubernetesModule {
		parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
		const stamp = " -X k8s.io/component-base/version."
		flags += stamp + "gitVersion=" + version + stamp + "gitMajor=" + parts[0] + stamp + "gitMinor=" + parts[1]
	}
	return flags
}

// runShowing runs a go command and prints the last line of its output every ten seconds.
func runShowing(cmd *exec.Cmd, label string, progress io.Writer) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	fmt.Fprintln(progress, label)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	var last atomic.Pointer[string]
	var output []string
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			line := lines.Text()
			last.Store(&line)
			output = append(output, line)
		}
	}()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if line := last.Load(); line != nil {
				fmt.Fprintf(progress, "  %s: %s\n", time.Since(start).Round(time.Second), *line)
			}
		case <-read:
			if err := cmd.Wait(); err != nil {
				return fmt.Errorf("%w\n%s", err, strings.Join(output[max(0, len(output)-20):], "\n"))
			}
			fmt.Fprintf(progress, "  %s: done\n", time.Since(start).Round(time.Second))
			return nil
		}
	}
}

// repository returns the root directory of the repository, two levels above this module.
func repository(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/example/memcached-operator/test/cluster").Output()
	if err != nil {
		return "", fmt.Errorf("find the module test/cluster (is the working directory inside it?): %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "..", ".."), nil
}

func goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return cmd
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
