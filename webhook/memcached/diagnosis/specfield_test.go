package diagnosis

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestSpecField(t *testing.T) {
	memcached := sample.Proxied(2)
	memcached.Spec.PodLabels = v1alpha1.Labels{"example.com/team": "a"}
	cases := []struct{ reason, child, path, want string }{
		{"a field that spec has", "cache", "spec.containers.memcached.image", "spec.image"},
		{"a field in a field that spec has", "cache", "spec.containers.memcached.resources.limits.memory", "spec.resources.limits.memory"},
		{"servers and proxies have other exporters", "cache", "spec.containers.exporter.image", "spec.metrics.image"},
		{"this program is the exporter of proxies", "cache-proxy", "spec.containers.exporter.image", "the operator's flag --operator-image"},
		{"both exporters have the resources of spec", "cache-proxy", "spec.containers.exporter.resources.limits.cpu", "spec.metrics.resources.limits.cpu"},
		{"an init container", "cache", "spec.initContainers.hold.image", "the operator's flag --operator-image"},
		{"a field of the pod, by another name", "cache", "spec.securityContext.seccompProfile.type", "spec.podSecurityContext.seccompProfile.type"},
		{"the reloader has the user of memcached", "cache", "spec.containers.reloader.securityContext.runAsUser", "spec.securityContext.runAsUser"},
		{"and no other field of its security context", "cache", "spec.containers.reloader.securityContext.privileged", ""},
		{"spec places servers", "cache", "spec.topologySpreadConstraints", "spec.topologySpreadConstraints"},
		{"proxies have constraints of their own", "cache-proxy", "spec.topologySpreadConstraints", ""},
		{"proxies have an affinity to pods of their own", "cache-proxy", "spec.affinity.podAntiAffinity", ""},
		{"proxies have the affinity of spec to nodes", "cache-proxy", "spec.affinity.nodeAffinity", "spec.affinity.nodeAffinity"},
		{"a list", "cache", "spec.tolerations", "spec.tolerations"},
		{"a label of spec", "cache", "metadata.labels.example.com/team", "spec.podLabels.example.com/team"},
		{"a label of the operator", "cache", "metadata.labels.app.kubernetes.io/name", ""},
		{"a longer name", "cache", "spec.tolerationsOther", ""},
		{"a field that spec does not have", "cache", "spec.initContainers.hold.securityContext.privileged", ""},
	}
	for _, test := range cases {
		if got := SpecField(memcached)(test.child, test.path); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}
