package memcached

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
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

// tlsArgs turn TLS on. A verify mode of 1 asks for a certificate, 2 refuses who has none; without one, an authority alone
// refuses nobody.
func tlsArgs(spec *Spec) []string {
	if spec.TLS == nil {
		return nil
	}
	options := "ssl_chain_cert=" + tlsFolder + "/" + certificateKey + ",ssl_key=" + tlsFolder + "/" + privateKeyKey
	if mode := map[ClientAuth]string{ClientAuthRequest: "1", ClientAuthRequire: "2"}[clientAuth(spec)]; mode != "" {
		options += ",ssl_ca_cert=" + tlsFolder + "/" + authorityKey + ",ssl_verify_mode=" + mode
	}
	return []string{"-Z", "-o", options}
}

func authArgs(spec *Spec) []string {
	switch authMode(spec) {
	case AuthSASL:
		return []string{"-S"}
	case AuthASCII:
		return []string{"-Y", authFolder + "/" + passwordsKey}
	}
	return nil
}

// saslEnv tells memcached where its passwords are, which it reads again at each login, and SASL its configuration.
func saslEnv(spec *Spec) []corev1.EnvVar {
	if authMode(spec) != AuthSASL {
		return nil
	}
	return []corev1.EnvVar{
		{Name: "MEMCACHED_SASL_PWDB", Value: authFolder + "/" + passwordsKey},
		{Name: "SASL_CONF_PATH", Value: saslFolder},
	}
}

// podAnnotations are those that were asked for, and the one that a volume is made of.
func podAnnotations(spec *Spec) map[string]string {
	if authMode(spec) != AuthSASL {
		return spec.PodAnnotations
	}
	all := map[string]string{}
	maps.Copy(all, spec.PodAnnotations)
	all[saslAnnotation] = saslConfig
	return all
}

// tlsKeys are the keys of the Secret that are mounted, and no others: a pod does not start while one of them is missing.
func tlsKeys(spec *Spec) []string {
	keys := []string{certificateKey, privateKeyKey}
	if clientAuth(spec) != ClientAuthNone {
		keys = append(keys, authorityKey)
	}
	return keys
}

// secretVolumes are the Secrets, by their names alone: the hook never sees what they hold, and the kubelet brings the
// files up to date when that changes.
func secretVolumes(spec *Spec) []corev1.Volume {
	var volumes []corev1.Volume
	if spec.TLS != nil {
		volumes = append(volumes, secretVolume("tls", spec.TLS.SecretName, tlsKeys(spec)...))
	}
	if spec.Auth != nil {
		volumes = append(volumes, secretVolume("auth", spec.Auth.SecretName, passwordsKey))
	}
	if authMode(spec) == AuthSASL {
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

func secretMounts(spec *Spec) []corev1.VolumeMount {
	folders := map[string]string{"tls": tlsFolder, "auth": authFolder, "sasl": saslFolder}
	var mounts []corev1.VolumeMount
	for _, volume := range secretVolumes(spec) {
		mounts = append(mounts, corev1.VolumeMount{Name: volume.Name, MountPath: folders[volume.Name], ReadOnly: true})
	}
	return mounts
}
