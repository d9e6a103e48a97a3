// Package diagnosis finds what is wrong with a cache, or may get wrong, and how to fix it.
package diagnosis

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// Input is what the checks of a cache look at.
type Input struct {
	// Input is that of the servers.
	*conditions.Input
	// Memcached has its defaults.
	Memcached *v1alpha1.Memcached
	Memory    memory.Size
	// Images are those of the pod template of the servers.
	Images children.Images
	// ProxyPods are the live proxies.
	ProxyPods []*observed.Pod
	// ProxiesReload reports whether proxies with TLS have the reloader.
	ProxiesReload bool
	// LostPods are servers and proxies, also those that are being deleted, whose nodes do not respond.
	LostPods []*observed.Pod
	// Job is the observed Job of a move; nil if there is none.
	Job *observed.Job
	// JobPods are those of its pods that may run.
	JobPods  []*observed.Pod
	Facts    moves.Facts
	Decision moves.Decision
	// ListsMonitors reports whether the CompositeController lists ServiceMonitors.
	ListsMonitors bool
}

// Reasons are the reasons of this package.
var Reasons = []conditions.Reason{
	ReasonScaling, ReasonMoving, ReasonGraceTooShort, ReasonJobNotStarted, ReasonJobSuspended, ReasonJobNotEnded, ReasonJobFailed, ReasonHoldNotRunning,
	ReasonNodeLost, ReasonServersLost, ReasonServerReplaced, ReasonOneProxy, ReasonProxiesOnOneNode,
	ReasonProxyReachesNoServer, ReasonFlashMemoryTooLow, ReasonMemoryLimitTooLow, ReasonSecretNotMounted, ReasonFlashNotMounted, ReasonSecretNotReloaded, ReasonLoaded, ReasonNoPodRunning, ReasonReadAtStart,
	ReasonExporting, ReasonExportersNotReady, ReasonUnsupportedWithASCII, ReasonServiceMonitorNotManaged,
}

// Diagnose returns what the checks find, in the order in which their problems and risks count, and the conditions that only a cache has.
// Each check has a file.
func Diagnose(in *Input) ([]conditions.Finding, []metav1.Condition) {
	mounted, reloaded := secretNotMounted(in), secretNotReloaded(in)
	findings := []conditions.Finding{
		nodeLost(in), mounted, flashNotMounted(in), reloaded, memoryLimitTooLow(in), flashMemoryTooLow(in), graceTooShort(in), jobFailed(in), jobNotEnded(in), jobNotStarted(in), holdNotRunning(in),
		fewProxies(in),
	}
	var own []metav1.Condition
	for _, condition := range []*metav1.Condition{metricsReady(in), secretsCurrent(in, conditions.Merge(mounted, reloaded).Problem)} {
		if condition != nil {
			own = append(own, *condition)
		}
	}
	return findings, own
}
