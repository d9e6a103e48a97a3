package installation

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// TestReady checks that the sample becomes ready with all security components.
func TestReady(t *testing.T) {
	kubectl(t, "apply", "--filename", filepath.Join(root, "manifests/samples/cache_v1alpha1_memcached.yaml"))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/memcached-sample", "--timeout=2m")
	metrics := get(t, installed.HookOps+"/metrics")
	for _, hook := range []string{"sync", "customize"} {
		if served := regexp.MustCompile(`memcached_operator_requests_total\{code="200",controller="memcached",hook="` + hook + `"\} [1-9]`); !served.MatchString(metrics) {
			t.Errorf("no call of the %s hook over TLS in the metrics:\n%s", hook, metrics)
		}
	}
	kubectl(t, "rollout", "status", "--namespace", "memcached-operator", "deployment/memcached-operator", "--timeout=2m")
}

// TestCallers checks that the hook rejects requests that are not from Metacontroller.
func TestCallers(t *testing.T) {
	url := strings.TrimSpace(kubectl(t, "get", "compositecontroller", "memcached", "--output", "jsonpath={.spec.hooks.sync.webhook.url}"))
	if !strings.HasPrefix(url, "https://") {
		t.Fatalf("the URL of the hook is %s, want https", url)
	}
	request, err := os.ReadFile(filepath.Join(root, "test/testdata/memcached/sync/created/request.json"))
	if err != nil {
		t.Fatal(err)
	}
	metacontroller := signer.Certificate(ca.Subject{DNSName: "metacontroller.metacontroller"})
	cases := []struct {
		why, token  string
		certificate *tls.Certificate
		want        int
	}{
		{"no credentials", "", nil, http.StatusUnauthorized},
		{"a token without a certificate, as after a leak", token, nil, http.StatusUnauthorized},
		{"a certificate without a token", "", &metacontroller, http.StatusUnauthorized},
		{"a wrong token", "guess", &metacontroller, http.StatusUnauthorized},
		{"a certificate with another name", token, new(signer.Certificate(ca.Subject{DNSName: "somebody.else"})), http.StatusForbidden},
		{"Metacontroller", token, &metacontroller, http.StatusOK},
	}
	for _, c := range cases {
		settings := &tls.Config{RootCAs: signer.Pool(), MinVersion: tls.VersionTLS13}
		if c.certificate != nil {
			settings.Certificates = []tls.Certificate{*c.certificate}
		}
		post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		post.Header.Set("Content-Type", "application/json")
		if c.token != "" {
			post.Header.Set("Authorization", "Bearer "+c.token)
		}
		client := http.Client{Transport: &http.Transport{TLSClientConfig: settings, DisableKeepAlives: true}}
		response, err := client.Do(post)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s: status %s, want %d", c.why, response.Status, c.want)
		}
	}
}

// TestDiff checks kubectl diff of rendered manifests: no difference for settled caches, and only the change after an edit.
func TestDiff(t *testing.T) {
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", cache("diffed", 2)))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/diffed", "--timeout=2m")
	all := render(t, clustertest.WriteFile(t, "all.yaml", kubectl(t, "get", "memcacheds", "--all-namespaces", "--output", "yaml")))
	if out, err := installed.RunKubectl(t.Context(), "diff", "--filename", clustertest.WriteFile(t, "rendered.yaml", all)); err != nil {
		t.Errorf("a settled cache differs from its rendered manifests: %v\n%s", err, out)
	}
	out, err := installed.RunKubectl(t.Context(), "diff", "--filename", clustertest.WriteFile(t, "rendered.yaml", render(t, clustertest.WriteFile(t, "cache.yaml", cache("diffed", 3)))))
	if err == nil || !strings.Contains(out, "-  replicas: 2") || !strings.Contains(out, "+  replicas: 3") || !strings.Contains(out, "+  size: 3") {
		t.Errorf("want a difference of size and replicas: %v\n%s", err, out)
	}
}

// TestMonitored checks that the monitors and rules for the Prometheus operator exist.
func TestMonitored(t *testing.T) {
	out := kubectl(t, "get", "servicemonitors,podmonitors,prometheusrules", "--namespace", "memcached-operator", "--output", "name")
	for _, want := range []string{"servicemonitor.monitoring.coreos.com/memcached-operator", "podmonitor.monitoring.coreos.com/memcached", "prometheusrule.monitoring.coreos.com/"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s:\n%s", want, out)
		}
	}
}

// TestEveryKustomization checks that the API server accepts every object and knows every field.
func TestEveryKustomization(t *testing.T) {
	for _, pattern := range []string{"manifests/*/kustomization.yaml", "manifests/controllers/*/kustomization.yaml", "crds/kustomization.yaml", "crds/*/kustomization.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file matches %s: %v", pattern, err)
		}
		for _, file := range files {
			if dir := filepath.Base(filepath.Dir(file)); dir == "samples" {
				continue // not all kinds of the samples are installed; the cluster tests apply the samples
			}
			dryRun(t, filepath.Dir(file))
		}
	}
	components, err := filepath.Glob(filepath.Join(root, "manifests/components/*"))
	if err != nil || len(components) == 0 {
		t.Fatalf("no components found: %v", err)
	}
	for _, component := range components {
		needed := ""
		if name := filepath.Base(component); name == "client-certificate" || name == "token" {
			needed = "ROOT/components/tls, " // both extend the endpoint of components/tls
		}
		dir := t.TempDir()
		up, err := filepath.Abs(filepath.Join(root, "manifests"))
		if err != nil {
			t.Fatal(err)
		}
		if up, err = filepath.Rel(dir, up); err != nil {
			t.Fatal(err)
		}
		content := fmt.Sprintf("resources: [ROOT/all]\ncomponents: [%sROOT/components/%s]\n", needed, filepath.Base(component))
		if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(strings.ReplaceAll(content, "ROOT", up)), 0o600); err != nil {
			t.Fatal(err)
		}
		dryRun(t, dir)
	}
}

func dryRun(t *testing.T, dir string) {
	t.Helper()
	out := kubectl(t, "apply", "--dry-run=server", "--validate=strict", "--kustomize", dir)
	if !strings.Contains(out, "(server dry run)") || strings.Contains(out, "Warning") {
		t.Errorf("%s:\n%s", dir, out)
	}
}

// TestRoles checks that the ClusterRole memcached-operator-edit grants creating caches, but not writing their status, and that the
// role edit does not contain it.
func TestRoles(t *testing.T) {
	mayCreate := func(user string) (string, bool) {
		out, err := installed.RunKubectl(t.Context(), "auth", "can-i", "create", "memcacheds.cache.example.com", "--as="+user)
		return out, err == nil && strings.TrimSpace(out) == "yes"
	}
	kubectl(t, "create", "rolebinding", "ann", "--clusterrole=memcached-operator-edit", "--user=ann")
	kubectl(t, "create", "rolebinding", "bob", "--clusterrole=edit", "--user=bob")
	waitFor(t, "a user with the role memcached-operator-edit may create a Memcached", func() (string, bool) { return mayCreate("ann") })
	if out, err := installed.RunKubectl(t.Context(), "auth", "can-i", "update", "memcacheds.cache.example.com", "--subresource=status", "--as=ann"); err == nil {
		t.Errorf("the user may write the status: %s", out)
	}
	waitFor(t, "a user with the role edit may read a Memcached", func() (string, bool) { // a controller aggregates roles
		out, err := installed.RunKubectl(t.Context(), "auth", "can-i", "get", "memcacheds.cache.example.com", "--as=bob")
		return out, err == nil && strings.TrimSpace(out) == "yes"
	})
	if out, may := mayCreate("bob"); may {
		t.Errorf("a user with the role edit may create a Memcached without the component aggregate-to-edit: %s", out)
	}
}

// TestWrongToken checks that a rejected token results in an Event on the resource and no change of the cache.
func TestWrongToken(t *testing.T) {
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", cache("guarded", 1)))
	kubectl(t, "wait", "--for=condition=Ready", "memcached/guarded", "--timeout=2m")
	useToken(t, "guess")
	kubectl(t, "patch", "memcached", "guarded", "--type=merge", "--patch", `{"spec":{"size":2}}`)
	waitFor(t, "an Event reports status 401", func() (string, bool) {
		events := kubectl(t, "get", "events", "--field-selector", "involvedObject.name=guarded,reason=SyncError", "--output", "jsonpath={.items[*].message}")
		return events, strings.Contains(events, "401")
	})
	if replicas := kubectl(t, "get", "deployment", "guarded", "--output", "jsonpath={.spec.replicas}"); replicas != "1" {
		t.Errorf("the Deployment has %s replicas after the hook rejected the request", replicas)
	}
	useToken(t, token)
	kubectl(t, "wait", "--for=jsonpath={.status.readyReplicas}=2", "memcached/guarded", "--timeout=2m")
}

// useToken changes the token of Metacontroller and restarts it, as the TLS page describes.
func useToken(t *testing.T, token string) {
	t.Helper()
	patch := fmt.Sprintf(`{"stringData":{"token":%q}}`, token)
	kubectl(t, "patch", "secret", "memcached-operator-token", "--namespace", "memcached-operator", "--patch", patch)
	kill(t)
	start(t)
}

func cache(name string, size int) string {
	return fmt.Sprintf("apiVersion: cache.example.com/v1alpha1\nkind: Memcached\nmetadata: {name: %s, namespace: default}\nspec: {size: %d, rollout: {minReadySeconds: 0}}\n", name, size)
}

// render runs the command render of this repository's binary.
func render(t *testing.T, file string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), installed.Program, "render", "-f", file)
	command.Stderr = os.Stderr // also what render does not check
	out, err := command.Output()
	if err != nil {
		t.Fatalf("render: %v", err)
	}
	return string(out)
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
