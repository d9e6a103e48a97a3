package memcached

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// command is memcached's command line. Each flag and value is an argument of its own: memcached reads "-m=64" as a limit
// of 0 and exits.
func command(spec *v1alpha1.MemcachedSpec, size memorySize) []string {
	cache := &spec.Cache
	command := []string{"memcached", "-m", strconv.FormatInt(size.items, 10)}
	if verbosity := ptr.Deref(cache.Verbosity, defaultVerbosity); verbosity > 0 {
		command = append(command, "-"+strings.Repeat("v", int(verbosity)))
	}
	command = append(command,
		"-c", strconv.FormatInt(maxConnections(cache), 10),
		"-t", strconv.FormatInt(int64(ptr.Deref(cache.Threads, defaultThreads)), 10),
		"-I", maxItemSize(cache),
		"-p", strconv.Itoa(port),
		"-U", "0", // a UDP port lets anyone use the server to flood others: https://docs.memcached.org/advisories/ddos/
	)
	if cache.DisableEvictions {
		command = append(command, "-M")
	}
	return slices.Concat(command, tlsArgs(spec), authArgs(spec), listenArgs(spec), cache.ExtraArgs)
}

// itemSizeKiB reads a size as 512k or 8m; 0 when it is none.
func itemSizeKiB(size string) int64 {
	digits, unit := size, int64(0)
	if length := len(size); length > 0 {
		digits, unit = size[:length-1], map[byte]int64{'k': 1, 'm': 1024}[size[length-1]]
	}
	number, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || number < 0 || digits[0] == '+' {
		return 0
	}
	return number * unit
}

// tlsArgs turn TLS on. A verify mode of 1 asks for a certificate, 2 refuses who has none; without one, an authority alone
// refuses nobody.
func tlsArgs(spec *v1alpha1.MemcachedSpec) []string {
	if spec.TLS == nil {
		return nil
	}
	options := "ssl_chain_cert=" + tlsFolder + "/" + certificateKey + ",ssl_key=" + tlsFolder + "/" + privateKeyKey
	if mode := map[v1alpha1.ClientAuth]string{v1alpha1.ClientAuthRequest: "1", v1alpha1.ClientAuthRequire: "2"}[clientAuth(spec)]; mode != "" {
		options += ",ssl_ca_cert=" + tlsFolder + "/" + authorityKey + ",ssl_verify_mode=" + mode
	}
	return []string{"-Z", "-o", options}
}

func authArgs(spec *v1alpha1.MemcachedSpec) []string {
	switch authMode(spec) {
	case v1alpha1.AuthSASL:
		return []string{"-S"}
	case v1alpha1.AuthASCII:
		return []string{"-Y", authFolder + "/" + passwordsKey}
	}
	return nil
}

// listenArgs say where memcached listens, unless that is port 11211 alone.
//
// A listener is [notls:][proto[ascii]:]address[:port]; * is every address of either family, and notls is known with TLS
// only: https://github.com/memcached/memcached/blob/master/memcached.c, server_sockets
func listenArgs(spec *v1alpha1.MemcachedSpec) []string {
	listeners := []string{"*"}
	if servesPlaintext(spec) {
		listeners = append(listeners, fmt.Sprintf("notls:*:%d", plaintextPort))
	}
	if listensOnLoopback(spec) {
		prefix := ""
		if spec.TLS != nil {
			prefix += "notls:"
		}
		if authMode(spec) == v1alpha1.AuthSASL {
			prefix += "proto[ascii]:"
		}
		listeners = append(listeners, fmt.Sprintf("%s127.0.0.1:%d", prefix, loopbackPort))
	}
	if len(listeners) == 1 {
		return nil
	}
	return []string{"-l", strings.Join(listeners, ",")}
}

// saslEnv tells memcached where its passwords are, which it reads again at each login, and SASL its configuration.
func saslEnv(spec *v1alpha1.MemcachedSpec) []corev1.EnvVar {
	if authMode(spec) != v1alpha1.AuthSASL {
		return nil
	}
	return []corev1.EnvVar{
		{Name: "MEMCACHED_SASL_PWDB", Value: authFolder + "/" + passwordsKey},
		{Name: "SASL_CONF_PATH", Value: saslFolder},
	}
}
