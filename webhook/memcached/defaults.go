package memcached

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// The values of the optional fields of spec. Images have theirs next to their containers.
const (
	defaultMemoryMB        = 64
	defaultOverheadPercent = 10
	defaultMaxConnections  = 1024
	defaultThreads         = 4
	defaultMaxItemSize     = "1m"
	defaultVerbosity       = 1

	defaultMinReadySeconds               = 30
	defaultStepInterval                  = time.Minute
	defaultPreStopSleepSeconds           = 5
	defaultTerminationGracePeriodSeconds = 30
)

func workloadKind(spec *Spec) Workload { return cmp.Or(spec.Workload, DeploymentWorkload) }

func maxConnections(cache *Cache) int64 {
	return ptr.Deref(cache.MaxConnections, defaultMaxConnections)
}

func maxItemSize(cache *Cache) string { return cmp.Or(cache.MaxItemSize, defaultMaxItemSize) }

func minReadySeconds(rollout *Rollout) int32 {
	return ptr.Deref(rollout.MinReadySeconds, defaultMinReadySeconds)
}

func maxSurge(rollout *Rollout) intstr.IntOrString {
	return ptr.Deref(rollout.MaxSurge, intstr.FromInt32(1))
}

func maxUnavailable(rollout *Rollout) intstr.IntOrString {
	return ptr.Deref(rollout.MaxUnavailable, intstr.FromInt32(0))
}

// clientAuth returns whether clients present a certificate; None without TLS.
func clientAuth(spec *Spec) ClientAuth {
	if spec.TLS == nil {
		return ClientAuthNone
	}
	return cmp.Or(spec.TLS.ClientAuth, ClientAuthNone)
}

// servesPlaintext reports whether memcached has a second port without TLS.
func servesPlaintext(spec *Spec) bool {
	return spec.TLS != nil && spec.TLS.Plaintext == PlaintextEnabled
}

// authMode returns how clients log in; "" when they do not.
func authMode(spec *Spec) AuthMode {
	if spec.Auth == nil {
		return ""
	}
	return cmp.Or(spec.Auth.Mode, AuthSASL)
}

// exports reports whether pods have an exporter. The exporter cannot log in with ASCII passwords.
func exports(spec *Spec) bool { return spec.Metrics.Enabled && authMode(spec) != AuthASCII }

// reloads reports whether memcached has to be told when a Secret changes. It reads the passwords of SASL at each login.
func reloads(spec *Spec) bool { return spec.TLS != nil || authMode(spec) == AuthASCII }
