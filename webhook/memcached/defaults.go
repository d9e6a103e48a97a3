package memcached

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// The defaults of optional fields of the spec. The default images are next to their containers.
const (
	defaultMemoryMB        = 64
	defaultOverheadPercent = 10
	defaultMaxConnections  = 1024
	defaultThreads         = 4
	defaultMaxItemSize     = "1m"
	defaultVerbosity       = 1

	// The page size, the number of threads and the minimum size of items on flash are the defaults of memcached. The write
	// buffer is that of Loki's Helm chart.
	defaultPageSizeMB       = 64
	defaultFlashThreads     = 1
	defaultMinItemBytes     = 512
	defaultWriteBufferMB    = 16
	defaultAverageItemBytes = 4096

	defaultMinReadySeconds               = 30
	defaultStepInterval                  = time.Minute
	defaultPreStopSleepSeconds           = 5
	defaultTerminationGracePeriodSeconds = 30
)

func workloadKind(spec *v1alpha1.MemcachedSpec) v1alpha1.Workload {
	return cmp.Or(spec.Workload, v1alpha1.DeploymentWorkload)
}

func maxConnections(cache *v1alpha1.Cache) int64 {
	return ptr.Deref(cache.MaxConnections, defaultMaxConnections)
}

func maxItemSize(cache *v1alpha1.Cache) string { return cmp.Or(cache.MaxItemSize, defaultMaxItemSize) }

func minReadySeconds(rollout *v1alpha1.RolloutOptions) int32 {
	return ptr.Deref(rollout.MinReadySeconds, defaultMinReadySeconds)
}

func maxSurge(rollout *v1alpha1.RolloutOptions) intstr.IntOrString {
	return ptr.Deref(rollout.MaxSurge, intstr.FromInt32(1))
}

func maxUnavailable(rollout *v1alpha1.RolloutOptions) intstr.IntOrString {
	return ptr.Deref(rollout.MaxUnavailable, intstr.FromInt32(0))
}

func pageSizeMB(flash *v1alpha1.Flash) int32 { return ptr.Deref(flash.PageSizeMB, defaultPageSizeMB) }

func writeBufferMB(flash *v1alpha1.Flash) int32 {
	return ptr.Deref(flash.WriteBufferMB, defaultWriteBufferMB)
}

func minItemBytes(flash *v1alpha1.Flash) int64 {
	return ptr.Deref(flash.MinItemBytes, defaultMinItemBytes)
}

// averageItemBytes returns the average size of the items on flash. All of them have at least the minimum size.
func averageItemBytes(flash *v1alpha1.Flash) int64 {
	return max(ptr.Deref(flash.AverageItemBytes, defaultAverageItemBytes), minItemBytes(flash))
}

// clientAuth returns how certificates of clients are verified; None without TLS.
func clientAuth(spec *v1alpha1.MemcachedSpec) v1alpha1.ClientAuth {
	if spec.TLS == nil {
		return v1alpha1.ClientAuthNone
	}
	return cmp.Or(spec.TLS.ClientAuth, v1alpha1.ClientAuthNone)
}

// servesPlaintext reports whether memcached has a second client port, without TLS.
func servesPlaintext(spec *v1alpha1.MemcachedSpec) bool {
	return spec.TLS != nil && spec.TLS.Plaintext == v1alpha1.PlaintextEnabled
}

// authMode returns how clients authenticate; "" if they do not.
func authMode(spec *v1alpha1.MemcachedSpec) v1alpha1.AuthMode {
	if spec.Auth == nil {
		return ""
	}
	return cmp.Or(spec.Auth.Mode, v1alpha1.AuthSASL)
}

// hasExporter reports whether the pods have an exporter. It cannot authenticate with ASCII passwords.
func hasExporter(spec *v1alpha1.MemcachedSpec) bool {
	return spec.Metrics.Enabled && authMode(spec) != v1alpha1.AuthASCII
}

// needsReloader reports whether memcached must reload a Secret after a change. SASL passwords need no reload, because
// memcached reads them at each login.
func needsReloader(spec *v1alpha1.MemcachedSpec) bool {
	return spec.TLS != nil || authMode(spec) == v1alpha1.AuthASCII
}
