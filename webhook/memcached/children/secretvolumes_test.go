package children

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestSecretVolumes checks that the volumes are read-only, and that only the group of the pod can read the Secrets.
func TestSecretVolumes(t *testing.T) {
	spec := sample.Defaulted(v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{SecretName: "certificate"}, Auth: &v1alpha1.Auth{SecretName: "users"}})
	volumes, mounts := secretVolumes(spec), secretMounts(spec)
	if len(volumes) != 3 || len(mounts) != 3 {
		t.Fatalf("%d volumes and %d mounts, want one each for the certificate, the users and the configuration of SASL", len(volumes), len(mounts))
	}
	for i, volume := range volumes {
		if volume.Secret != nil && *volume.Secret.DefaultMode != 0o440 {
			t.Errorf("volume %s has the mode %o, want 440", volume.Name, *volume.Secret.DefaultMode)
		}
		if mounts[i].Name != volume.Name || mounts[i].MountPath == "" || !mounts[i].ReadOnly {
			t.Errorf("the mount of volume %s is %+v", volume.Name, mounts[i])
		}
	}
}
