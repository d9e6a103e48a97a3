package children

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// maxVerbosity is that of the CRD. A request need not come from an API server, and a number is as long as a flag here.
const maxVerbosity = 2

// commandLine returns the command line of memcached. Each flag and each value is a separate argument, because memcached
// parses "-m=64" as a limit of 0 and exits.
func commandLine(spec *v1alpha1.MemcachedSpec, size memory.Size) []string {
	cache := &spec.Cache
	args := []string{"memcached", "-m", strconv.FormatInt(size.ItemMiB, 10)}
	if verbosity := min(*cache.Verbosity, maxVerbosity); verbosity > 0 {
		args = append(args, "-"+strings.Repeat("v", int(verbosity)))
	}
	args = append(args,
		"-c", strconv.FormatInt(*cache.MaxConnections, 10),
		"-t", strconv.FormatInt(int64(*cache.Threads), 10),
		"-I", ItemSizeArg(*cache.MaxItemSize),
		"-p", strconv.Itoa(Port),
		"-U", "0", // no UDP, because of amplification attacks: https://docs.memcached.org/advisories/ddos/
	)
	if cache.DisableEvictions {
		args = append(args, "-M")
	}
	return slices.Concat(args, flashArgs(spec.Flash), TLSArgs(spec), authArgs(spec), listenArgs(spec), cache.ExtraArgs)
}

// ItemSizeArg returns the value of memcached's -I, such as 512k or 1m. A valid size is a multiple of 512Ki.
func ItemSizeArg(size resource.Quantity) string {
	if kibibytes := size.Value() / 1024; kibibytes%1024 != 0 {
		return strconv.FormatInt(kibibytes, 10) + "k"
	}
	return strconv.FormatInt(memory.Mebibytes(size), 10) + "m"
}

// TLSArgs returns the arguments that enable TLS. ssl_verify_mode 1 requests a client certificate, 2 requires one. A CA
// without a verify mode refuses no client.
func TLSArgs(spec *v1alpha1.MemcachedSpec) []string {
	if spec.TLS == nil {
		return nil
	}
	options := "ssl_chain_cert=" + tlsDirectory + "/" + CertificateKey + ",ssl_key=" + tlsDirectory + "/" + PrivateKeyKey
	if mode := map[v1alpha1.ClientAuth]string{v1alpha1.ClientAuthRequest: "1", v1alpha1.ClientAuthRequire: "2"}[spec.ClientAuth()]; mode != "" {
		options += ",ssl_ca_cert=" + tlsDirectory + "/" + CAKey + ",ssl_verify_mode=" + mode
	}
	return []string{"-Z", "-o", options}
}

func authArgs(spec *v1alpha1.MemcachedSpec) []string {
	switch spec.AuthMode() {
	case v1alpha1.AuthSASL:
		return []string{"-S"}
	case v1alpha1.AuthASCII:
		return []string{"-Y", authDirectory + "/" + PasswordsKey}
	}
	return nil
}

// ClientListeners returns the listeners for clients.
func ClientListeners(spec *v1alpha1.MemcachedSpec) []string {
	if spec.ServesPlaintext() {
		return []string{"*", fmt.Sprintf("notls:*:%d", plaintextPort)}
	}
	return []string{"*"}
}

// listenArgs returns the listeners of memcached; nil if it listens on port 11211 only.
//
// A listener is [notls:][proto[ascii]:]address[:port]. * means all addresses of both IP families. memcached accepts notls
// only with TLS: https://github.com/memcached/memcached/blob/master/memcached.c, server_sockets
func listenArgs(spec *v1alpha1.MemcachedSpec) []string {
	listeners := ClientListeners(spec)
	if listensOnLoopback(spec) {
		prefix := ""
		if spec.TLS != nil {
			prefix += "notls:"
		}
		if spec.AuthMode() == v1alpha1.AuthSASL {
			prefix += "proto[ascii]:"
		}
		listeners = append(listeners, fmt.Sprintf("%s127.0.0.1:%d", prefix, loopbackPort))
	}
	if len(listeners) == 1 {
		return nil
	}
	return []string{"-l", strings.Join(listeners, ",")}
}

// saslEnv returns the paths of the passwords, which memcached reads at each login, and of the configuration of SASL.
func saslEnv(spec *v1alpha1.MemcachedSpec) []corev1.EnvVar {
	if spec.AuthMode() != v1alpha1.AuthSASL {
		return nil
	}
	return []corev1.EnvVar{
		{Name: "MEMCACHED_SASL_PWDB", Value: authDirectory + "/" + PasswordsKey},
		{Name: "SASL_CONF_PATH", Value: saslDirectory},
	}
}
