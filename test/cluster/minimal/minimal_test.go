// Package minimal installs manifests/minimal, whose CompositeController lists only Deployments, on a real API server.
package minimal

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

var installed *cluster.Cluster

func TestMain(m *testing.M) {
	os.Exit(cluster.RunTests(m, func(ctx context.Context, options cluster.Options) (_ *cluster.Cluster, err error) {
		installed, err = cluster.Install(ctx, cluster.Kustomize("../../../manifests/minimal"), options)
		return installed, err
	}))
}

// TestLife checks the life of a cache: it becomes ready, scales, and is deleted.
func TestLife(t *testing.T) {
	apply(t, "sessions", "size: 2, rollout: {minReadySeconds: 0}")
	kubectl(t, "wait", "--for=condition=Ready", "memcached/sessions", "--timeout=2m")
	for _, size := range []int{4, 1} {
		kubectl(t, "scale", "memcached/sessions", fmt.Sprintf("--replicas=%d", size))
		kubectl(t, "wait", "--for", fmt.Sprintf("jsonpath={.status.readyReplicas}=%d", size), "memcached/sessions", "--timeout=2m")
		kubectl(t, "wait", "--for=condition=Ready", "memcached/sessions", "--timeout=2m")
		pods := kubectl(t, "get", "pods", "--selector", "memcached_cr=sessions", "--sort-by", "{.metadata.name}", "--output", "jsonpath={.items[*].metadata.name}")
		nodes := kubectl(t, "get", "memcached/sessions", "--output", "jsonpath={.status.nodes[*]}")
		if pods != nodes || len(strings.Fields(pods)) != size {
			t.Errorf("scaled to %d: status.nodes is %q, but the pods are %q", size, nodes, pods)
		}
	}
	if others := kubectl(t, "get", "services,poddisruptionbudgets,networkpolicies,statefulsets", "--selector", "memcached_cr=sessions", "--output", "name"); others != "" {
		t.Errorf("children of kinds that the CompositeController does not list: %s", others)
	}
	kubectl(t, "delete", "memcached/sessions")
	kubectl(t, "wait", "--for=delete", "deployments,pods", "--selector", "memcached_cr=sessions", "--timeout=2m")
}

// TestKindNotListed checks that a spec that needs another kind is reported and creates nothing, and that a valid spec ends it.
func TestKindNotListed(t *testing.T) {
	apply(t, "open", "size: 1, rollout: {minReadySeconds: 0}, networkPolicy: {from: [{podSelector: {}}]}")
	kubectl(t, "wait", "--for", `jsonpath={.status.conditions[?(@.type=="Ready")].reason}=InvalidSpec`, "memcached/open", "--timeout=2m")
	message := kubectl(t, "get", "memcached/open", "--output", `jsonpath={.status.conditions[?(@.type=="Ready")].message}`)
	if !strings.Contains(message, "spec.networkPolicy.from") || !strings.Contains(message, "NetworkPolicy, but childResources") {
		t.Errorf("the message names neither the field nor the kind: %s", message)
	}
	if children := kubectl(t, "get", "deployments", "--selector", "memcached_cr=open", "--output", "name"); children != "" {
		t.Errorf("children of an invalid Memcached: %s", children)
	}
	kubectl(t, "patch", "memcached/open", "--type=merge", "--patch", `{"spec":{"networkPolicy":null}}`)
	kubectl(t, "wait", "--for=condition=Ready", "memcached/open", "--timeout=2m")
	kubectl(t, "delete", "memcached/open")
}

func apply(t *testing.T, name, spec string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cache.yaml")
	content := fmt.Sprintf("apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: %s, namespace: default}\nspec: {%s}\n", name, spec)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "apply", "--filename", file)
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return clustertest.Run(t, installed.RunKubectl, args...)
}
