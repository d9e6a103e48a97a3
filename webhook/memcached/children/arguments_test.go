package children

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestItemSizeArg(t *testing.T) {
	for size, want := range map[string]string{"512Ki": "512k", "1Mi": "1m", "1048576": "1m", "1536Ki": "1536k", "1Gi": "1024m"} {
		if got := ItemSizeArg(*sample.Quantity(size)); got != want {
			t.Errorf("memcached -I of %s is %s, want %s", size, got, want)
		}
	}
}

func TestVerbosity(t *testing.T) {
	for verbosity, want := range map[int32]string{0: "-c", 1: "-v", 2: "-vv", math.MaxInt32: "-vv"} {
		spec := sample.Defaulted(v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{Verbosity: &verbosity}})
		if got := commandLine(spec, memory.Size{})[3]; got != want {
			t.Errorf("the argument of verbosity %d is %s, want %s", verbosity, got, want)
		}
	}
}

func TestTLSArgs(t *testing.T) {
	files := "-Z -o ssl_chain_cert=/etc/memcached/tls/tls.crt,ssl_key=/etc/memcached/tls/tls.key"
	cases := []struct {
		reason     string
		clientAuth v1alpha1.ClientAuth
		want, keys string
	}{
		{"without client certificates, no CA is needed", "", files, "tls.crt tls.key"},
		{"client certificates are not requested", v1alpha1.ClientAuthNone, files, "tls.crt tls.key"},
		{"client certificates are requested", v1alpha1.ClientAuthRequest, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=1", "tls.crt tls.key ca.crt"},
		{"client certificates are required", v1alpha1.ClientAuthRequire, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=2", "tls.crt tls.key ca.crt"},
	}
	for _, test := range cases {
		spec := sample.Defaulted(v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: test.clientAuth}})
		if diff := cmp.Diff(test.want, strings.Join(TLSArgs(spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.keys, strings.Join(TLSKeys(spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestListenArgs(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"memcached listens on one port", v1alpha1.MemcachedSpec{}, ""},
		{"SASL uses the same port", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{}}, ""},
		{"TLS adds a loopback port without TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "-l *,notls:127.0.0.1:11213"},
		{"plaintext adds a client port without TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}}, "-l *,notls:*:11212,notls:127.0.0.1:11213"},
		{"the loopback port has no SASL", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthSASL}}, "-l *,notls:*:11212,notls:proto[ascii]:127.0.0.1:11213"},
		{"ASCII passwords need no other protocol on the loopback port", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, "-l *,notls:127.0.0.1:11213"},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, strings.Join(listenArgs(sample.Defaulted(test.spec)), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
