package installation

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// memoryPerPod is in manifests/policy/limits.yaml and limitrange.yaml.
var memoryPerPod = resource.MustParse("2Gi")

// A Memcached within all limits.
const (
	withImage = "image: registry.example.com/memcached:1.6, "
	withTLS   = "tls: {secretName: tls}, "
	withLimit = "resources: {limits: {memory: 1Gi}}, "
	allowed   = "{size: 1, " + withImage + withTLS + withLimit
	exporter  = "enabled: true, image: registry.example.com/exporter, "
	proxies   = "{size: 1, workload: StatefulSet, " + withImage + withLimit
)

// TestPolicy checks which Memcacheds the sample of a ValidatingAdmissionPolicy refuses, and that no pod of the others has more
// memory than the limit.
func TestPolicy(t *testing.T) {
	limit(t, "limited")
	apply := func(spec string) (string, error) {
		return dryRunIn(t, "limited", "cache.example.com/v1alpha1", "Memcached", spec)
	}
	cases := []struct{ reason, spec, want string }{
		{"within all limits", allowed + "}", ""},
		{"an exporter and a reloader", allowed + "metrics: {" + exporter + "}}", ""},
		{"the sum of the limits is the limit", "{size: 1, " + withImage + withTLS + "metrics: {" + exporter + "resources: {limits: {memory: 84Mi}}}, resources: {limits: {memory: 1900Mi}}}", ""},
		{"allowed networks, annotations, priority and interval", allowed + "networkPolicy: {from: [{ipBlock: {cidr: 10.1.0.0/16}}, {podSelector: {}}], metricsFrom: [{ipBlock: {cidr: 'fd00:1::/32'}}, {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]}, " +
			"podAnnotations: {example.com/team: a}, service: {annotations: {example.com/team: a}}, priorityClassName: caches, metrics: {" + exporter + "serviceMonitor: {interval: 10s}}}", ""},

		{"the default image", "{size: 1, " + withTLS + withLimit + "}", "spec.image must begin with registry.example.com/"},
		{"an image of another registry", "{size: 1, image: registry.example.com.evil.example/memcached, " + withTLS + withLimit + "}", "spec.image must begin with registry.example.com/"},
		{"the default image of the exporter", allowed + "metrics: {enabled: true}}", "spec.metrics.image must begin with registry.example.com/"},
		{"no TLS", "{size: 1, " + withImage + withLimit + "}", "spec.tls is required"},
		{"null, which is no TLS for the CRD", "{size: 1, " + withImage + withLimit + "tls: null}", "spec.tls"},
		{"a port without TLS", "{size: 1, " + withImage + withLimit + "tls: {secretName: tls, plaintext: Enabled}}", "spec.tls is required"},

		{"much overhead and many connections without a limit, which were 29820Mi", "{size: 1, " + withImage + withTLS + "cache: {memory: 2Gi, overheadPercent: 400, maxConnections: 1000000}}", "spec.resources.limits.memory is required"},
		{"small items on flash without a limit, which were 324660Mi", "{size: 1, " + withImage + withTLS + "flash: {size: 100Gi, averageItemSize: 1Ki}}", "spec.resources.limits.memory is required"},
		{"much flash", allowed + "flash: {size: 2Ti, averageItemSize: 1Ki}}", "spec.flash.size may be at most 100Gi"},
		{"too high a limit", "{size: 1, " + withImage + withTLS + "resources: {limits: {memory: 3Gi}}}", "at most 2Gi of memory"},
		{"a limit as a number", "{size: 1, " + withImage + withTLS + "resources: {limits: {memory: 3000000000}}}", "at most 2Gi of memory"},
		{"no memory for the reloader", "{size: 1, " + withImage + withTLS + "resources: {limits: {memory: 2Gi}}}", "at most 2Gi of memory"},
		{"a large exporter", allowed + "metrics: {" + exporter + "resources: {limits: {memory: 2Gi}}}}", "at most 2Gi of memory"},
		{"an exporter without a limit", allowed + "metrics: {" + exporter + "resources: {requests: {cpu: 1}}}}", "spec.metrics.resources.limits.memory is required"},
		{"a large request of an exporter without a limit", allowed + "metrics: {" + exporter + "resources: {requests: {memory: 1Ti}}}}", "spec.metrics.resources.limits.memory is required"},
		{"the default limit of an exporter counts", "{size: 1, " + withImage + withTLS + "metrics: {" + exporter + "}, resources: {limits: {memory: 1984Mi}}}", "at most 2Gi of memory"},
		{"a proxy without a limit", proxies + "proxy: {replicas: 1}}", "spec.proxy.resources.limits.memory is required"},
		{"no memory for the sidecar of servers with proxies", "{size: 1, workload: StatefulSet, " + withImage + "resources: {limits: {memory: 2Gi}}, proxy: {resources: {limits: {memory: 1Gi}}}}", "at most 2Gi of memory"},
		{"large containers of the operator", allowed + "helperResources: {limits: {memory: 1Gi}}}", "spec.helperResources may not be set"},
		{"a large proxy", proxies + "proxy: {replicas: 1, resources: {limits: {memory: 3Gi}}}}", "a proxy may have at most 2Gi of memory"},
		{"a proxy with a large exporter", proxies + "proxy: {replicas: 1, resources: {limits: {memory: 1500Mi}}}, metrics: {" + exporter + "resources: {limits: {memory: 900Mi}}}}", "a proxy may have at most 2Gi of memory"},
		{"no limit of a proxy", proxies + "proxy: {replicas: 1, resources: {limits: {memory: '0'}}}}", "must be greater than 0"},
		{"no limit of an exporter", allowed + "metrics: {" + exporter + "resources: {limits: {memory: 0}}}}", "must be greater than 0"},
		{"huge pages, which the limit of memory does not count", "{size: 1, " + withImage + withTLS + "resources: {limits: {memory: 1Gi, hugepages-2Mi: 4Gi}}}", "only be cpu and memory"},
		{"huge pages of a proxy", proxies + "proxy: {replicas: 1, resources: {limits: {memory: 1Gi, hugepages-2Mi: 4Gi}}}}", "only be cpu and memory"},

		{"a privileged container", allowed + "securityContext: {privileged: true}}", "spec.securityContext and spec.podSecurityContext may not be set"},
		{"a pod as root", allowed + "podSecurityContext: {runAsUser: 0, runAsNonRoot: false}}", "spec.securityContext and spec.podSecurityContext may not be set"},
		{"the cloud identity of another ServiceAccount", allowed + "serviceAccountName: backup}", "spec.serviceAccountName must be default"},
		{"a priority that evicts others", allowed + "priorityClassName: system-cluster-critical}", "spec.priorityClassName must be one of: caches"},
		{"a name for external-dns", allowed + "service: {annotations: {external-dns.alpha.kubernetes.io/hostname: www.example.com}}}", "may only be: example.com/team"},
		{"a public load balancer of proxies", allowed + "proxy: {resources: {limits: {memory: 1Gi}}, service: {annotations: {example.com/scheme: internet-facing}}}}", "may only be: example.com/team"},
		{"a port of each node", allowed + "proxy: {resources: {limits: {memory: 1Gi}}, service: {type: NodePort}}, networkPolicy: {from: [{ipBlock: {cidr: 10.1.0.0/16}}]}}", "spec.proxy.service.type must be ClusterIP"},
		{"the injection of a container", allowed + "podAnnotations: {sidecar.istio.io/inject: 'true'}}", "may only be: example.com/team"},
		{"the injection of a container into the Job", proxies + "proxy: {resources: {limits: {memory: 1Gi}}, job: {annotations: {linkerd.io/inject: enabled}}}}", "may only be: example.com/team"},
		{"every client", allowed + "networkPolicy: {from: [{ipBlock: {cidr: 0.0.0.0/0}}]}}", "must be within 10.0.0.0/8"},
		{"half of all clients", allowed + "networkPolicy: {from: [{ipBlock: {cidr: 0.0.0.0/1}}]}}", "must be within 10.0.0.0/8"},
		{"every client with IPv6", allowed + "networkPolicy: {from: [{ipBlock: {cidr: '::/0'}}]}}", "must be within 10.0.0.0/8"},
		{"every reader of the metrics", allowed + "networkPolicy: {metricsFrom: [{ipBlock: {cidr: 0.0.0.0/0}}]}}", "must be within 10.0.0.0/8"},
		{"the pods of all namespaces", allowed + "networkPolicy: {from: [{namespaceSelector: {}}]}}", "must have the label kubernetes.io/metadata.name, with one of: monitoring"},
		{"the pods of other namespaces by an expression", allowed + "networkPolicy: {from: [{namespaceSelector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}]}}", "must have the label kubernetes.io/metadata.name"},
		{"every reader of the metrics in another namespace", allowed + "networkPolicy: {metricsFrom: [{podSelector: {}, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]}}", "must have the label kubernetes.io/metadata.name"},
		{"no NetworkPolicy", allowed + "networkPolicy: {enabled: false}}", "spec.networkPolicy must be enabled"},
		{"all egress", allowed + "networkPolicy: {egress: Allow}}", "with egress Deny"},
		{"a scrape each second", allowed + "metrics: {" + exporter + "serviceMonitor: {interval: 1s}}}", "must be at least 10s"},
	}
	for _, test := range cases {
		out, err := apply(test.spec)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(out, test.want)) {
			t.Errorf("%s: want %q, got %v\n%s", test.reason, test.want, err, out)
		}
		if err == nil {
			expectWithinLimit(t, test.reason, test.spec)
		}
	}

	const monitoring, all = "{matchLabels: {kubernetes.io/metadata.name: monitoring}}", "{}"
	from := func(selector string) (string, error) {
		return apply(allowed + "networkPolicy: {from: [{namespaceSelector: " + selector + "}]}}")
	}
	kubectl(t, "patch", "configmap", "memcached-limits", "--namespace", "memcached-operator", "--patch", `{"data": {"namespaces": ""}}`)
	waitFor(t, "no other namespace is allowed", func() (string, bool) {
		out, err := from(monitoring)
		return out, err != nil
	})
	if out, err := from(all); err == nil {
		t.Errorf("with an empty list of namespaces, all are allowed: %s", out)
	}
}

// expectWithinLimit renders a Memcached and checks the memory of its pods.
func expectWithinLimit(t *testing.T, reason, spec string) {
	t.Helper()
	manifest := parent("limited", "cache.example.com/v1alpha1", "Memcached", spec)
	for _, document := range strings.Split(render(t, clustertest.WriteFile(t, "cache.yaml", manifest)), "\n---\n") {
		var workload appsv1.Deployment // a StatefulSet has the template in the same field
		if err := yaml.Unmarshal([]byte(document), &workload); err != nil || workload.Kind != "Deployment" && workload.Kind != "StatefulSet" {
			continue // another child
		}
		var sum resource.Quantity
		for _, container := range slices.Concat(workload.Spec.Template.Spec.InitContainers, workload.Spec.Template.Spec.Containers) {
			limit, limited := container.Resources.Limits["memory"]
			if !limited {
				t.Errorf("%s: the container %s has no memory limit", reason, container.Name)
			}
			sum.Add(limit)
		}
		if sum.IsZero() || sum.Cmp(memoryPerPod) > 0 {
			t.Errorf("%s: a pod of the %s has %s of memory, want at most %s", reason, workload.Kind, sum.String(), memoryPerPod.String())
		}
	}
}

// TestPolicyOfOtherKinds checks the limits of Nginx and CustomImageDeploy, whose containers get their memory limit from a
// LimitRange.
func TestPolicyOfOtherKinds(t *testing.T) {
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "crds/nginx"))
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "crds/customimagedeploy"))
	expect(t, "the kinds exist", installed.WaitEstablished(t.Context(), "nginxes.proxy.example.com", "customimagedeploys.customimagedeploy.example.com"), "")
	limit(t, "limited-kinds")
	cases := []struct{ reason, apiVersion, kind, spec, want string }{
		{"an image of the registry", "proxy.example.com/v1alpha1", "Nginx", "{count: 1, image: registry.example.com/nginx}", ""},
		{"the default image", "proxy.example.com/v1alpha1", "Nginx", "{count: 1}", "spec.image must begin with registry.example.com/"},
		{"another image", "proxy.example.com/v1alpha1", "Nginx", "{count: 1, image: evil}", "spec.image must begin with registry.example.com/"},
		{"the default host", "customimagedeploy.example.com/v1", "CustomImageDeploy", "{image: registry.example.com/shop, port: 80}", "spec.host must end with .apps.example.com"},
		{"an allowed host", "customimagedeploy.example.com/v1", "CustomImageDeploy", "{image: registry.example.com/shop, port: 80, host: shop.apps.example.com}", ""},
		{"another image", "customimagedeploy.example.com/v1", "CustomImageDeploy", "{image: evil, port: 80}", "spec.image must begin with registry.example.com/"},
		{"the host of somebody else", "customimagedeploy.example.com/v1", "CustomImageDeploy", "{image: registry.example.com/shop, port: 80, host: login.example.com}", "spec.host must end with .apps.example.com"},
	}
	for _, test := range cases {
		out, err := dryRunIn(t, "limited-kinds", test.apiVersion, test.kind, test.spec)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(out, test.want)) {
			t.Errorf("%s %s: want %q, got %v\n%s", test.kind, test.reason, test.want, err, out)
		}
	}

	kubectl(t, "apply", "--namespace", "limited-kinds", "--filename", filepath.Join(root, "manifests/policy/limitrange.yaml"))
	waitFor(t, "a container of Nginx gets a memory limit", func() (string, bool) {
		out, err := dryRunIn(t, "limited-kinds", "v1", "Pod", "{containers: [{name: nginx, image: nginx}]}", "--output", "jsonpath={.spec.containers[0].resources.limits.memory}")
		return out, err == nil && out == "256Mi"
	})
	out, err := dryRunIn(t, "limited-kinds", "v1", "Pod", "{containers: [{name: a, image: a, resources: {limits: {memory: 1Gi}}}, {name: b, image: b, resources: {limits: {memory: 1025Mi}}}]}")
	if err == nil || !strings.Contains(out, "maximum memory usage per Pod is 2Gi") {
		t.Errorf("two containers exceed the limit together: want a refusal, got %v\n%s", err, out)
	}
}

// limit creates a namespace and applies the policies to it.
func limit(t *testing.T, namespace string) {
	t.Helper()
	kubectl(t, "create", "namespace", namespace)
	kubectl(t, "apply", "--kustomize", filepath.Join(root, "manifests/policy"))
	if out, err := dryRunIn(t, namespace, "cache.example.com/v1alpha1", "Memcached", "{size: 1}"); err != nil {
		t.Errorf("the policy applies to a namespace without its label: %v\n%s", err, out)
	}
	kubectl(t, "label", "namespace", namespace, "cache.example.com/limits=memcached-limits")
	waitFor(t, "the policy applies", func() (string, bool) { // the API server loads policies and labels later
		out, err := dryRunIn(t, namespace, "cache.example.com/v1alpha1", "Memcached", "{size: 1}")
		return out, err != nil && strings.Contains(out, "must begin with")
	})
}

func dryRunIn(t *testing.T, namespace, apiVersion, kind, spec string, args ...string) (string, error) {
	t.Helper()
	file := clustertest.WriteFile(t, "parent.yaml", parent(namespace, apiVersion, kind, spec))
	return installed.RunKubectl(t.Context(), append([]string{"apply", "--dry-run=server", "--filename", file}, args...)...)
}

func parent(namespace, apiVersion, kind, spec string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: cache, namespace: %s}\nspec: %s\n", apiVersion, kind, namespace, spec)
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
