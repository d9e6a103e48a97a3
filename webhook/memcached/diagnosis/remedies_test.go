package diagnosis

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestOutOfMemoryRemedy checks the remedy for memcached that was killed because of its memory. It depends on whether spec
// sets the limit, the memory for items, or both.
func TestOutOfMemoryRemedy(t *testing.T) {
	limited := func(limit string) v1alpha1.MemcachedSpec {
		return v1alpha1.MemcachedSpec{Resources: sample.Limits(limit), Cache: v1alpha1.Cache{Memory: sample.Quantity("64Mi")}}
	}
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"the limit is too low for the items", limited("100Mi"), "the limit is 100Mi for 64 MiB of items, which need up to 123Mi: increase spec.resources.limits.memory"},
		{"both are set, and memcached needs more than expected", limited("200Mi"), "the limit is 200Mi for 64 MiB of items: increase spec.resources.limits.memory"},
		{"the limit follows from the items", v1alpha1.MemcachedSpec{}, "the limit is 123Mi for 64 MiB of items: increase spec.cache.overheadPercent, because small items have proportionally more overhead"},
	}
	for _, test := range cases {
		spec := sample.Defaulted(test.spec)
		if got := Remedies(&v1alpha1.Memcached{Spec: *spec}, memory.Of(spec))[children.ContainerName].OOMKilled; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestPodExitCodes(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		code   int32
		want   string
	}{
		{"TLS without client certificates", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}, 64, "check that Secret cache-tls contains a certificate in tls.crt and its private key in tls.key, all in PEM; otherwise, check spec.cache"},
		{"TLS with client certificates", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequest}}, 64, "check that Secret cache-tls contains a certificate in tls.crt and its private key in tls.key, and the CA of the clients in ca.crt, all in PEM; otherwise, check spec.cache"},
		{"ASCII passwords", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users", Mode: v1alpha1.AuthASCII}}, 1, "check that Secret users has user:password lines in key passwords; otherwise, check spec.cache.extraArgs"},
		{"flash and ASCII passwords", v1alpha1.MemcachedSpec{Flash: &v1alpha1.Flash{}, Auth: &v1alpha1.Auth{SecretName: "users", Mode: v1alpha1.AuthASCII}}, 1, "check that the fsGroup of spec.podSecurityContext can write to the volume of spec.flash; otherwise, check that Secret users has user:password lines in key passwords; otherwise, check spec.cache.extraArgs"},
		{"neither Secrets nor flash", v1alpha1.MemcachedSpec{}, 64, exitCodes[64]},
	}
	for _, test := range cases {
		if got := podExitCodes(sample.Defaulted(test.spec))[test.code]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestPullRemedy: the hook sees no Secrets, so it says which ones must exist, and where.
func TestPullRemedy(t *testing.T) {
	const operator = "this is the operator's image, and its pull Secret is in another namespace: "
	const create = "if the registry requires credentials, create a Secret with them in namespace web, and set spec.imagePullSecrets"
	const check = "check that namespace web contains the Secrets of spec.imagePullSecrets, a, b, with credentials for this registry"
	memcached := sample.Proxied(2)
	memcached.Namespace = "web"
	for _, named := range []bool{false, true} {
		want := create
		if named {
			memcached.Spec.ImagePullSecrets, want = []corev1.LocalObjectReference{{Name: "a"}, {Name: "b"}}, check
		}
		servers, proxies := Remedies(memcached, memory.Of(&memcached.Spec)), ProxyRemedies(memcached)
		for container, remedy := range map[string]conditions.Remedy{
			"memcached": servers["memcached"], "exporter": servers["exporter"], "proxy": proxies["proxy"],
		} {
			if remedy.Credentials != want {
				t.Errorf("named: %t, %s: %q, want %q", named, container, remedy.Credentials, want)
			}
		}
		for container, remedy := range map[string]conditions.Remedy{
			"hold": servers["hold"], "reloader": servers["reloader"], "reach": proxies["reach"], "exporter of proxies": proxies["exporter"],
		} {
			if remedy.Credentials != operator+want {
				t.Errorf("named: %t, %s: %q, want %q", named, container, remedy.Credentials, operator+want)
			}
		}
	}
}

// TestLongPullRemedy: each container of each pod has a copy of the names, which the API server does not limit.
func TestLongPullRemedy(t *testing.T) {
	memcached := sample.New(1)
	memcached.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: strings.Repeat("a", 3900)}}
	if got := Remedies(memcached, memory.Of(&memcached.Spec))["memcached"].Credentials; len(got) > 500 {
		t.Errorf("the remedy has %d bytes: %s", len(got), got)
	}
}
