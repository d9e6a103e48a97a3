package memcached

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListenArgs(t *testing.T) {
	cases := []struct {
		reason string
		spec   Spec
		want   string
	}{
		{"one port needs no list", Spec{}, ""},
		{"SASL has that one port too", Spec{Auth: &Auth{}}, ""},
		{"TLS, and within the pod without", Spec{TLS: &TLS{}}, "-l *,notls:127.0.0.1:11213"},
		{"plain for clients on another port than for the pod", Spec{TLS: &TLS{Plaintext: PlaintextEnabled}}, "-l *,notls:*:11212,notls:127.0.0.1:11213"},
		{"within the pod without SASL", Spec{TLS: &TLS{Plaintext: PlaintextEnabled}, Auth: &Auth{Mode: AuthSASL}}, "-l *,notls:*:11212,notls:proto[ascii]:127.0.0.1:11213"},
		{"the ASCII protocol has one kind of listener", Spec{TLS: &TLS{}, Auth: &Auth{Mode: AuthASCII}}, "-l *,notls:127.0.0.1:11213"},
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
		clientAuth ClientAuth
		want, keys string
	}{
		{"an authority that is not used need not be there", "", files, "tls.crt tls.key"},
		{"None is the default", ClientAuthNone, files, "tls.crt tls.key"},
		{"a certificate is asked for", ClientAuthRequest, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=1", "tls.crt tls.key ca.crt"},
		{"and required", ClientAuthRequire, files + ",ssl_ca_cert=/etc/memcached/tls/ca.crt,ssl_verify_mode=2", "tls.crt tls.key ca.crt"},
	}
	for _, test := range cases {
		spec := Spec{TLS: &TLS{ClientAuth: test.clientAuth}}
		if diff := cmp.Diff(test.want, strings.Join(tlsArgs(&spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.keys, strings.Join(tlsKeys(&spec), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestSecretsAreForTheGroupAlone(t *testing.T) {
	spec := Spec{TLS: &TLS{SecretName: "certificate"}, Auth: &Auth{SecretName: "users"}}
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
	pod := podTemplate(memcached, "")
	container := pod.Spec.Containers[0]
	if pod.Annotations != nil || pod.Spec.Volumes != nil || container.VolumeMounts != nil || container.Env != nil || len(container.Ports) != 1 {
		t.Errorf("a cache without TLS and authentication has their marks: %+v", pod)
	}
}
