// Package helm runs the commands of the chart's documentation on a real API server: install, upgrade, rollback, and uninstall
// with and without the caches.
package helm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/cluster"
	"github.com/example/memcached-operator/test/cluster/clustertest"
)

const root = "../../.."

var (
	installed *cluster.Cluster
	packed    string // the path of the packed chart
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chart-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := cluster.RunTests(m, func(ctx context.Context, options cluster.Options) (*cluster.Cluster, error) {
		options.Helm = true
		installed, err = cluster.Install(ctx, func(ctx context.Context, c *cluster.Cluster) error { return install(ctx, c, dir) }, options)
		return installed, err
	})
	os.RemoveAll(dir)
	os.Exit(code)
}

// install packs the chart and installs it.
func install(ctx context.Context, c *cluster.Cluster, dir string) error {
	if out, err := c.RunHelm(ctx, "package", filepath.Join(root, "manifests/helm"), "--destination", dir); err != nil {
		return fmt.Errorf("pack the chart: %w\n%s", err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("packed %q: %w", archives, err)
	}
	packed = archives[0]
	if out, err := c.RunHelm(ctx, inNamespace("install", "memcached-operator", packed, "--create-namespace", "--wait")...); err != nil {
		return fmt.Errorf("install the chart: %w\n%s", err, out)
	}
	return nil
}

func inNamespace(args ...string) []string {
	return append(args, "--namespace", "memcached-operator")
}

// TestAccepted checks that the packed chart lints, and that the API server accepts every object and knows every field, with
// each preset and all features.
func TestAccepted(t *testing.T) {
	helm(t, "lint", "--strict", packed)
	presets, err := filepath.Glob(filepath.Join(root, "manifests/helm/presets/*.yaml"))
	if err != nil || len(presets) == 0 {
		t.Fatalf("no presets: %v", err)
	}
	presets = append(presets, clustertest.WriteFile(t, "all.yaml", `
monitoring: {monitors: true, alerts: true, dashboard: true, kubeStateMetrics: true, labels: {release: prometheus}}
controllers: {memcached: {serviceMonitors: true}}
imagePullSecrets: [{name: registry}]
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: dedicated, operator: Exists}]
affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
priorityClassName: system-cluster-critical
podAnnotations: {team: caches}
`))
	for _, values := range presets {
		objects := helm(t, inNamespace("template", "memcached-operator", packed, "--values", values)...)
		out := kubectl(t, "apply", "--dry-run=server", "--validate=strict", "--filename", clustertest.WriteFile(t, "objects.yaml", objects))
		if !strings.Contains(out, "(server dry run)") || strings.Contains(out, "unknown field") {
			t.Errorf("%s:\n%s", values, out)
		}
	}
}

// TestUpgrade checks that an upgrade with another value and a rollback change the hook, and no pod of a cache.
func TestUpgrade(t *testing.T) {
	pods := createCache(t, "upgraded")
	helm(t, inNamespace("upgrade", "memcached-operator", packed, "--reset-then-reuse-values", "--set", "replicas=2", "--wait")...)
	wantHook(t, "2 poddisruptionbudget.policy/memcached-operator")
	wantSame(t, "upgraded", pods)

	helm(t, inNamespace("rollback", "memcached-operator", "--wait")...)
	wantHook(t, "1 ")
	wantSame(t, "upgraded", pods)
	scale(t, "upgraded")
	kubectl(t, "delete", "memcached/upgraded")
}

// TestWithoutCRDs checks the documented downgrade: a release without the CRDs keeps those of the cluster, and all caches.
func TestWithoutCRDs(t *testing.T) {
	pods := createCache(t, "downgraded")
	helm(t, inNamespace("upgrade", "memcached-operator", packed, "--reset-then-reuse-values", "--set", "crds.install=false", "--wait")...)
	wantSame(t, "downgraded", pods)
	helm(t, inNamespace("upgrade", "memcached-operator", packed, "--reset-values", "--wait")...)
	wantSame(t, "downgraded", pods)
	scale(t, "downgraded")
	kubectl(t, "delete", "memcached/downgraded")
}

// TestUninstallAndKeep checks that caches survive the release, and that another release manages them again.
func TestUninstallAndKeep(t *testing.T) {
	pods := createCache(t, "kept")
	uninstall(t)
	wantSame(t, "kept", pods)

	reinstall(t)
	wantSame(t, "kept", pods)
	scale(t, "kept")
	kubectl(t, "delete", "memcached/kept")
}

// TestUninstallAndDelete checks the documented steps to delete all caches. Then it installs the kustomization, and checks that
// Helm takes over its objects.
func TestUninstallAndDelete(t *testing.T) {
	createCache(t, "deleted")
	kubectl(t, "delete", "memcacheds", "--all", "--all-namespaces")
	kubectl(t, "wait", "--for=delete", "deployments,pods", "--selector", "memcached_cr=deleted", "--timeout=2m")
	uninstall(t)
	kubectl(t, "delete", "crd", "memcacheds.cache.example.com")
	kubectl(t, "delete", "namespace", "memcached-operator")

	kubectl(t, "apply", "--kustomize", filepath.Join(root, "manifests/default"))
	redirect(t)
	pods := createCache(t, "taken")
	reinstall(t, "--take-ownership")
	wantSame(t, "taken", pods)
	scale(t, "taken")
}

// uninstall uninstalls the release, and checks that it leaves nothing but the CRDs, which have no such label.
func uninstall(t *testing.T) {
	t.Helper()
	helm(t, inNamespace("uninstall", "memcached-operator", "--wait")...)
	if left := kubectl(t, inNamespace("get", "compositecontrollers,clusterroles,deployments,services,serviceaccounts",
		"--selector", "app.kubernetes.io/part-of=memcached-operator", "--output", "name")...); left != "" {
		t.Errorf("the release leaves:\n%s", left)
	}
}

// reinstall installs the chart again, and lets Metacontroller call the hook of the tests.
func reinstall(t *testing.T, flags ...string) {
	t.Helper()
	helm(t, inNamespace(append([]string{"install", "memcached-operator", packed, "--wait"}, flags...)...)...)
	redirect(t)
}

func redirect(t *testing.T) {
	t.Helper()
	if err := installed.RedirectHooks(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// createCache creates a cache with two pods and returns their UIDs when they are ready.
func createCache(t *testing.T, name string) string {
	t.Helper()
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", "apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: "+name+
		", namespace: default}\nspec: {size: 2, rollout: {minReadySeconds: 0}}\n"))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/"+name, "--timeout=2m")
	return podsOf(t, name)
}

func podsOf(t *testing.T, name string) string {
	t.Helper()
	return kubectl(t, "get", "pods", "--selector", "memcached_cr="+name, "--sort-by", "{.metadata.name}", "--output", "jsonpath={.items[*].metadata.uid}")
}

// wantSame checks that a cache is ready with the same pods.
func wantSame(t *testing.T, name, pods string) {
	t.Helper()
	kubectl(t, "wait", "--for=condition=Ready", "memcached/"+name, "--timeout=2m")
	if got := podsOf(t, name); got != pods {
		t.Errorf("the pods of %s were %s and are %s", name, pods, got)
	}
}

// scale checks that Metacontroller and the hook change the cache, to three pods.
func scale(t *testing.T, name string) {
	t.Helper()
	kubectl(t, "scale", "memcached/"+name, "--replicas=3")
	kubectl(t, "wait", "--for=jsonpath={.status.readyReplicas}=3", "memcached/"+name, "--timeout=2m")
}

// wantHook checks the replicas of the hook and its PodDisruptionBudget.
func wantHook(t *testing.T, want string) {
	t.Helper()
	replicas := kubectl(t, "get", "deployment/memcached-operator", "--namespace", "memcached-operator", "--output", "jsonpath={.status.readyReplicas}")
	budgets := kubectl(t, "get", "poddisruptionbudgets", "--namespace", "memcached-operator", "--output", "name")
	if got := replicas + " " + strings.TrimSpace(budgets); got != want {
		t.Errorf("the hook has %q, want %q", got, want)
	}
}

func helm(t *testing.T, args ...string) string {
	t.Helper()
	return clustertest.Run(t, installed.RunHelm, args...)
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return clustertest.Run(t, installed.RunKubectl, args...)
}
