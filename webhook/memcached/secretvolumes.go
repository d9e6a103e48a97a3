package memcached

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Where the Secrets are mounted, and under which keys they are read. The keys are also the names of the files.
const (
	tlsFolder  = "/etc/memcached/tls"
	authFolder = "/etc/memcached/auth"
	saslFolder = "/etc/memcached/sasl"

	certificateKey = corev1.TLSCertKey
	privateKeyKey  = corev1.TLSPrivateKeyKey
	authorityKey   = "ca.crt"
	passwordsKey   = "passwords"

	// secretMode lets the pod's fsGroup read and nobody write: the files belong to root and that group.
	secretMode = 0o440

	// saslAnnotation holds the configuration of SASL, which the kubelet writes to a file.
	saslAnnotation = "memcached-operator.example.com/sasl"
	saslConfigFile = "memcached.conf"
	// saslConfig leaves one mechanism. Without it Cyrus SASL offers all that are installed, and some images have ANONYMOUS
	// among them, which lets in everybody. Without any configuration memcached does not start.
	saslConfig = "mech_list: plain\n"
)

// podAnnotations are those that were asked for, and the one that a volume is made of.
func podAnnotations(spec *v1alpha1.MemcachedSpec) map[string]string {
	if authMode(spec) != v1alpha1.AuthSASL {
		return spec.PodAnnotations
	}
	all := map[string]string{}
	maps.Copy(all, spec.PodAnnotations)
	all[saslAnnotation] = saslConfig
	return all
}

// tlsKeys are the keys of the Secret that are mounted, and no others: a pod does not start while one of them is missing.
func tlsKeys(spec *v1alpha1.MemcachedSpec) []string {
	keys := []string{certificateKey, privateKeyKey}
	if clientAuth(spec) != v1alpha1.ClientAuthNone {
		keys = append(keys, authorityKey)
	}
	return keys
}

// secretVolumes are the Secrets, by their names alone: the hook never sees what they hold, and the kubelet brings the
// files up to date when that changes.
func secretVolumes(spec *v1alpha1.MemcachedSpec) []corev1.Volume {
	var volumes []corev1.Volume
	if spec.TLS != nil {
		volumes = append(volumes, secretVolume("tls", spec.TLS.SecretName, tlsKeys(spec)...))
	}
	if spec.Auth != nil {
		volumes = append(volumes, secretVolume("auth", spec.Auth.SecretName, passwordsKey))
	}
	if authMode(spec) == v1alpha1.AuthSASL {
		volumes = append(volumes, corev1.Volume{Name: "sasl", VolumeSource: corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{
			DefaultMode: new(int32(secretMode)),
			Items: []corev1.DownwardAPIVolumeFile{{
				Path:     saslConfigFile,
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.annotations['" + saslAnnotation + "']"},
			}},
		}}})
	}
	return volumes
}

func secretVolume(name, secret string, keys ...string) corev1.Volume {
	source := &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: new(int32(secretMode))}
	for _, key := range keys {
		source.Items = append(source.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: source}}
}

func secretMounts(spec *v1alpha1.MemcachedSpec) []corev1.VolumeMount {
	folders := map[string]string{"tls": tlsFolder, "auth": authFolder, "sasl": saslFolder}
	var mounts []corev1.VolumeMount
	for _, volume := range secretVolumes(spec) {
		mounts = append(mounts, corev1.VolumeMount{Name: volume.Name, MountPath: folders[volume.Name], ReadOnly: true})
	}
	return mounts
}
