package diagnosis

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/text"
)

// exitCodes explains the exit codes of memcached: those of sysexits.h, and 1 for a flag that it cannot parse.
//
// https://github.com/memcached/memcached/blob/master/memcached.c
var exitCodes = map[int32]string{
	1:  "memcached cannot parse a flag or value (see its log); check spec.cache.extraArgs",
	64: "memcached does not accept a flag or value (see its log); check spec.cache",
	67: "memcached runs as root and has no user to switch to; check spec.podSecurityContext and spec.securityContext",
	71: "memcached could not get a resource (see its log), such as its port or memory for spec.cache.maxConnections",
}

// The remedies for containers next to memcached that exceed their memory.
const (
	helperMemory   = "increase spec.helperResources.limits.memory"
	exporterMemory = "increase spec.metrics.resources.limits.memory"
)

// Remedies returns how to fix containers that do not run.
func Remedies(memcached *v1alpha1.Memcached, size memory.Size) conditions.Remedies {
	spec, credentials, operators := &memcached.Spec, pullRemedy(memcached), operatorPullRemedy(memcached)
	return conditions.Remedies{
		children.ContainerName: {OOMKilled: outOfMemoryRemedy(spec, size), ExitCodes: podExitCodes(spec.ForServers()), Credentials: credentials},
		children.ReloaderName:  {OOMKilled: helperMemory, Reports: true, Credentials: operators},
		children.HoldName:      {OOMKilled: helperMemory, Credentials: operators},
		children.ExporterName:  {OOMKilled: exporterMemory, Credentials: credentials},
	}
}

// ProxyRemedies returns how to fix containers of proxies that do not run.
func ProxyRemedies(memcached *v1alpha1.Memcached) conditions.Remedies {
	operators := operatorPullRemedy(memcached)
	codes := map[int32]string{1: "memcached cannot load the configuration of the proxy or parse a flag; spec.image must contain memcached with proxy support, " + proxy.MinVersion + " or later"}
	if memcached.Spec.TLS != nil {
		codes[64] = certificateRemedy(&memcached.Spec)
	}
	return conditions.Remedies{
		proxy.ContainerName:   {OOMKilled: "increase spec.proxy.resources.limits.memory", ExitCodes: codes, Credentials: pullRemedy(memcached)},
		proxy.ReachName:       {OOMKilled: helperMemory, Credentials: operators},
		children.ReloaderName: {OOMKilled: helperMemory, Reports: true, Credentials: operators},
		children.ExporterName: {OOMKilled: exporterMemory, Credentials: operators},
	}
}

// pullRemedy returns what to do if a registry wants credentials. No rule reads Secrets.
func pullRemedy(memcached *v1alpha1.Memcached) string {
	var names []string
	for _, secret := range memcached.Spec.ImagePullSecrets {
		names = append(names, secret.Name)
	}
	if len(names) == 0 {
		return "if the registry requires credentials, create a Secret with them in namespace " + memcached.Namespace + ", and set spec.imagePullSecrets"
	}
	return fmt.Sprintf("check that namespace %s contains the Secrets of spec.imagePullSecrets, %s, with credentials for this registry", memcached.Namespace, text.Value(strings.Join(names, ", ")))
}

// operatorPullRemedy is [pullRemedy] for the image of this program.
func operatorPullRemedy(memcached *v1alpha1.Memcached) string {
	return "this is the operator's image, and its pull Secret is in another namespace: " + pullRemedy(memcached)
}

func certificateRemedy(spec *v1alpha1.MemcachedSpec) string {
	remedy := fmt.Sprintf("check that Secret %s contains a certificate in %s and its private key in %s", spec.TLS.SecretName, children.CertificateKey, children.PrivateKeyKey)
	if spec.ClientAuth() != v1alpha1.ClientAuthNone {
		remedy += ", and the CA of the clients in " + children.CAKey
	}
	return remedy + ", all in PEM; otherwise, check spec.cache"
}

// outOfMemoryRemedy names the field to increase after memcached used more memory than its limit.
func outOfMemoryRemedy(spec *v1alpha1.MemcachedSpec, size memory.Size) string {
	memoryLimit := children.MemoryLimit(&spec.Resources, size)
	limit := fmt.Sprintf("the limit is %s for %d MiB of items", memoryLimit.String(), size.ItemMiB)
	_, limited := spec.Resources.Limits[corev1.ResourceMemory]
	switch {
	case size.LimitTooLow():
		return fmt.Sprintf("%s, which need up to %dMi: increase spec.resources.limits.memory", limit, size.NeededMiB)
	case limited && spec.Cache.Memory != nil:
		return limit + ": increase spec.resources.limits.memory"
	}
	return limit + ": increase spec.cache.overheadPercent, because small items have proportionally more overhead"
}

// podExitCodes adds the exit codes of a memcached that does not accept a Secret, 64 for a certificate and 1 for passwords, or
// that cannot use its flash tier, 1. The source of memcached and tests show these codes.
func podExitCodes(spec *v1alpha1.MemcachedSpec) map[int32]string {
	if spec.TLS == nil && spec.Auth == nil && spec.Flash == nil {
		return exitCodes
	}
	codes := maps.Clone(exitCodes)
	if spec.TLS != nil {
		codes[64] = certificateRemedy(spec)
	}
	if spec.AuthMode() == v1alpha1.AuthASCII {
		codes[1] = fmt.Sprintf("check that Secret %s has user:password lines in key %s; otherwise, check spec.cache.extraArgs", spec.Auth.SecretName, children.PasswordsKey)
	}
	if spec.Flash != nil {
		codes[1] = "check that the fsGroup of spec.podSecurityContext can write to the volume of spec.flash; otherwise, " + codes[1]
	}
	return codes
}
