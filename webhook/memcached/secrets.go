package memcached

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// secretsNeeded returns what a pod needs to start.
func secretsNeeded(spec *Spec) []string {
	var needed []string
	if spec.TLS != nil {
		keys := tlsKeys(spec)
		needed = append(needed, fmt.Sprintf("Secret %s exists and has the keys %s and %s", spec.TLS.SecretName, strings.Join(keys[:len(keys)-1], ", "), keys[len(keys)-1]))
	}
	if spec.Auth != nil {
		needed = append(needed, fmt.Sprintf("Secret %s exists and has the key %s", spec.Auth.SecretName, passwordsKey))
	}
	return needed
}

// secretExitCodes explains the exit codes of a memcached that does not accept a Secret: 64 for a certificate and 1 for
// passwords, according to its source and to Debian's 1.6.18.
func secretExitCodes(spec *Spec) map[int32]string {
	if spec.TLS == nil && spec.Auth == nil {
		return exitCodes
	}
	codes := maps.Clone(exitCodes)
	if spec.TLS != nil {
		codes[64] = fmt.Sprintf("check that Secret %s has a certificate in %s and its key in %s", spec.TLS.SecretName, certificateKey, privateKeyKey)
		if clientAuth(spec) != ClientAuthNone {
			codes[64] += ", and the CA of the clients in " + authorityKey
		}
		codes[64] += ", all in PEM; or check spec.cache"
	}
	if authMode(spec) == AuthASCII {
		codes[1] = fmt.Sprintf("check that Secret %s has lines of user:password in %s; or check spec.cache.extraArgs", spec.Auth.SecretName, passwordsKey)
	}
	return codes
}

// terminationMessage makes the kubelet keep the end of the log when a Secret may be why memcached exits. The log names the
// cause, and the exit code does not.
func terminationMessage(spec *Spec) corev1.TerminationMessagePolicy {
	if spec.TLS == nil && spec.Auth == nil {
		return ""
	}
	return corev1.TerminationMessageFallbackToLogsOnError
}
