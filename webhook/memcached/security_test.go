package memcached

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestListenArgs(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"one port needs no list", v1alpha1.MemcachedSpec{}, ""},
		{"SASL has that one port too", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{}}, ""},
		{"TLS, and within the pod without", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "-l *,notls:127.0.0.1:11213"},
		{"plain for clients on another port than for the pod", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}}, "-l *,notls:*:11212,notls:127.0.0.1:11213"},
		{"within the pod without SASL", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{Plaintext: v1alpha1.PlaintextEnabled}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthSASL}}, "-l *,notls:*:11212,notls:proto[ascii]:127.0.0.1:11213"},
		{"the ASCII protocol has one kind of listener", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}, Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, "-l *,notls:127.0.0.1:11213"},
	}
	for _, test := range cases {
		if diff := cmp.Diff(test.want, strings.Join(listenArgs(&test.spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
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
		{"an authority that is not used need not be there", "", files, "tls.crt tls.key"},
		{"None is the default", v1alpha1.ClientAuthNone, files, "tls.crt tls.key"},
		{"a certificate is asked for", v1alpha1.ClientAuthRequest, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=1", "tls.crt tls.key ca.crt"},
		{"and required", v1alpha1.ClientAuthRequire, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=2", "tls.crt tls.key ca.crt"},
	}
	for _, test := range cases {
		spec := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: test.clientAuth}}
		if diff := cmp.Diff(test.want, strings.Join(tlsArgs(&spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.keys, strings.Join(tlsKeys(&spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestSecretsAreForTheGroupAlone(t *testing.T) {
	spec := v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}, Auth: &v1alpha1.Auth{SecretName: "users"}}
	volumes, mounts := secretVolumes(&spec), secretMounts(&spec)
	if len(volumes) != 3 || len(mounts) != 3 {
		t.Fatalf("%d volumes and %d mounts, want one for the certificate, the users and SASL's configuration", len(volumes), len(mounts))
	}
	for i, volume := range volumes {
		if volume.Secret != nil && *volume.Secret.DefaultMode != 0o440 {
			t.Errorf("%s has the mode %o", volume.Name, *volume.Secret.DefaultMode)
		}
		if mounts[i].Name != volume.Name || mounts[i].MountPath == "" || !mounts[i].ReadOnly {
			t.Errorf("%s is mounted as %+v", volume.Name, mounts[i])
		}
	}
}

// TestNothingSecretChangesNothing: a pod template that changes replaces every pod, and empties the cache.
func TestNothingSecretChangesNothing(t *testing.T) {
	memcached := sample(1)
	pod := podTemplate(memcached, planOf(memcached, 1, ""))
	container := pod.Spec.Containers[0]
	if pod.Annotations != nil || pod.Spec.Volumes != nil || container.VolumeMounts != nil || container.Env != nil || len(container.Ports) != 1 {
		t.Errorf("a cache without TLS and authentication has their marks: %+v", pod)
	}
}
