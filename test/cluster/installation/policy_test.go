package installation

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// TestPolicy checks which Memcacheds the sample of a ValidatingAdmissionPolicy refuses.
func TestPolicy(t *testing.T) {
	kubectl(t, "create", "namespace", "limited")
	apply := func(spec string) (string, error) {
		manifest := fmt.Sprintf("apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: cache, namespace: limited}\nspec: %s\n", spec)
		return installed.RunKubectl(t.Context(), "apply", "--dry-run=server", "--filename", clustertest.WriteFile(t, "cache.yaml", manifest))
	}
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "manifests/policy"))
	if out, err := apply("{size: 1}"); err != nil {
		t.Errorf("the policy applies to a namespace without its label: %v\n%s", err, out)
	}
	kubectl(t, "label", "namespace", "limited", "cache.example.com/limits=memcached-limits")
	waitFor(t, "the policy applies", func() (string, bool) { // the API server loads policies and labels later
		out, err := apply("{size: 1}")
		return out, err != nil
	})
	const image, tls = "image: registry.example.com/memcached:1.6", "tls: {secretName: tls}"
	cases := []struct{ reason, spec, want string }{
		{"within all limits", "{size: 1, " + image + ", " + tls + "}", ""},
		{"the memory limit is as large as allowed", "{size: 1, " + image + ", " + tls + ", resources: {limits: {memory: 2048Mi}}}", ""},
		{"an exporter from the registry", "{size: 1, " + image + ", " + tls + ", metrics: {enabled: true, image: registry.example.com/exporter}}", ""},
		{"the default image", "{size: 1, " + tls + "}", "spec.image must begin with registry.example.com/"},
		{"an image of another registry", "{size: 1, image: registry.example.com.evil.example/memcached, " + tls + "}", "spec.image must begin with registry.example.com/"},
		{"the default image of the exporter", "{size: 1, " + image + ", " + tls + ", metrics: {enabled: true}}", "spec.metrics.image must begin with registry.example.com/"},
		{"too high a memory limit", "{size: 1, " + image + ", " + tls + ", resources: {limits: {memory: 3Gi}}}", "at most 2Gi of memory, not 3Gi"},
		{"a memory limit as a number", "{size: 1, " + image + ", " + tls + ", resources: {limits: {memory: 3000000000}}}", "at most 2Gi of memory, not 3000000000"},
		{"too many items", "{size: 1, " + image + ", " + tls + ", cache: {memory: 4Gi}}", "at most 2Gi of memory, not 4Gi"},
		{"no TLS", "{size: 1, " + image + "}", "spec.tls is required"},
		{"a port without TLS", "{size: 1, " + image + ", tls: {secretName: tls, plaintext: Enabled}}", "spec.tls is required"},
	}
	for _, test := range cases {
		out, err := apply(test.spec)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(out, test.want)) {
			t.Errorf("%s: want %q, got %v\n%s", test.reason, test.want, err, out)
		}
	}
}

// TestPolicyKeepsExisting checks that a Memcached above the limits can still be labelled and deleted.
func TestPolicyKeepsExisting(t *testing.T) {
	kubectl(t, "create", "namespace", "limited-later")
	manifest := strings.ReplaceAll(cache("above", 0), "default", "limited-later")
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", manifest))
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "manifests/policy"))
	kubectl(t, "label", "namespace", "limited-later", "cache.example.com/limits=memcached-limits")
	waitFor(t, "the policy applies", func() (string, bool) {
		out, err := installed.RunKubectl(t.Context(), "patch", "memcached", "above", "--namespace", "limited-later", "--dry-run=server", "--type=merge", "--patch", `{"spec":{"size":1}}`)
		return out, err != nil
	})
	kubectl(t, "label", "memcached", "above", "--namespace", "limited-later", "team=web")
	kubectl(t, "delete", "memcached", "above", "--namespace", "limited-later", "--cascade=foreground", "--timeout=1m")
}
