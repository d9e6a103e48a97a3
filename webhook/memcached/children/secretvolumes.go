package children

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The mount paths and the keys of the Secrets. The keys are also the file names.
const (
	tlsDirectory  = "/etc/memcached/tls"
	authDirectory = "/etc/memcached/auth"
	saslDirectory = "/etc/memcached/sasl"

	CertificateKey = corev1.TLSCertKey
	PrivateKeyKey  = corev1.TLSPrivateKeyKey
	CAKey          = "ca.crt"
	PasswordsKey   = "passwords"

	// secretMode lets only root and the fsGroup of the pod read the files, and nobody write them.
	secretMode = 0o440

	// saslAnnotation is the pod annotation that contains the configuration of SASL. The kubelet writes it to a file.
	saslAnnotation = "memcached-operator.example.com/sasl"
	saslConfigFile = "memcached.conf"
	// saslConfig allows only the mechanism PLAIN. By default Cyrus SASL offers all installed mechanisms. In some images these
	// include ANONYMOUS, which accepts every client. Without a configuration memcached does not start.
	saslConfig = "mech_list: plain\n"
)

// TLSKeys returns the keys of the Secret to mount. They are only those in use, because a pod does not start while a key is
// missing.
func TLSKeys(spec *v1alpha1.MemcachedSpec) []string {
	keys := []string{CertificateKey, PrivateKeyKey}
	if spec.ClientAuth() != v1alpha1.ClientAuthNone {
		keys = append(keys, CAKey)
	}
	return keys
}

// SecretVolumes returns the volumes of the Secrets. The hook knows only the names of the Secrets, and the kubelet updates
// the files when a Secret changes.
func SecretVolumes(spec *v1alpha1.MemcachedSpec) []corev1.Volume {
	var volumes []corev1.Volume
	if spec.TLS != nil {
		volumes = append(volumes, secretVolume("tls", spec.TLS.SecretName, TLSKeys(spec)...))
	}
	if spec.Auth != nil {
		volumes = append(volumes, secretVolume("auth", spec.Auth.SecretName, PasswordsKey))
	}
	if spec.AuthMode() == v1alpha1.AuthSASL {
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

// SecretMounts returns where memcached reads the files of the Secrets.
func SecretMounts(spec *v1alpha1.MemcachedSpec) []corev1.VolumeMount {
	directories := map[string]string{"tls": tlsDirectory, "auth": authDirectory, "sasl": saslDirectory}
	var mounts []corev1.VolumeMount
	for _, volume := range SecretVolumes(spec) {
		mounts = append(mounts, corev1.VolumeMount{Name: volume.Name, MountPath: directories[volume.Name], ReadOnly: true})
	}
	return mounts
}
