package diagnosis

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
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
		{"the limit follows from the items", v1alpha1.MemcachedSpec{}, "the limit is 123Mi for 64 MiB of items: increase spec.cache.overheadPercent, because small items need more memory in addition to their own size"},
	}
	for _, test := range cases {
		spec := sample.Defaulted(test.spec)
		if got := Remedies(spec, memory.Of(spec))[children.ContainerName].OOMKilled; got != test.want {
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
		{"TLS without client certificates", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls"}}, 64, "check that Secret cache-tls has a certificate in tls.crt and its key in tls.key, all in PEM; or check spec.cache"},
		{"TLS with client certificates", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequest}}, 64, "check that Secret cache-tls has a certificate in tls.crt and its key in tls.key, and the CA of the clients in ca.crt, all in PEM; or check spec.cache"},
		{"ASCII passwords", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{SecretName: "users", Mode: v1alpha1.AuthASCII}}, 1, "check that Secret users has lines of user:password in passwords; or check spec.cache.extraArgs"},
		{"flash and ASCII passwords", v1alpha1.MemcachedSpec{Flash: &v1alpha1.Flash{}, Auth: &v1alpha1.Auth{SecretName: "users", Mode: v1alpha1.AuthASCII}}, 1, "check that the fsGroup of spec.podSecurityContext may write to the volume of spec.flash; or check that Secret users has lines of user:password in passwords; or check spec.cache.extraArgs"},
		{"neither Secrets nor flash", v1alpha1.MemcachedSpec{}, 64, exitCodes[64]},
	}
	for _, test := range cases {
		if got := podExitCodes(sample.Defaulted(test.spec))[test.code]; got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
