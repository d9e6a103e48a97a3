package memcached

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// What memcached uses beside the items that its -m limits, in MiB. README.md has the measurements.
const (
	mebibyte = 1 << 20

	// baseMiB are 8 for the process itself, and 40 for the first page of 1 MiB that every class of item sizes gets even
	// when the items have reached their limit: https://github.com/memcached/memcached/issues/1025
	baseMiB = 48
	// moreClassesMiB are for the first pages of the 63 classes that there may be at most, where an argument makes more of
	// them than the 40 or so of the default growth factor.
	moreClassesMiB = 24
	// connectionKiB is for an open connection in the middle of a request: 0.6 KiB idle, 6 with a read buffer, of which
	// not all connections have one.
	connectionKiB = 4
	// connectionTLSKiB is for one over TLS, which keeps 15.6 KiB even when idle.
	connectionTLSKiB = 20
	// certificateKiB is what a client's certificate adds to that, 8.3 measured, and saslKiB what a login adds, 3.5.
	certificateKiB = 9
	saslKiB        = 4

	leastItemMiB = 16
	mostItemMiB  = 1 << 20
)

// memorySize is what one pod's memory is made up of, in MiB.
type memorySize struct {
	items int64
	limit int64
	// needed is the limit under which so many items are safe: beside is what it leaves to anything but items, and percent
	// what it adds to each.
	needed, fixed, percent int64
}

// tight is true when the memory limit is lower than what the items may come to need.
func (s memorySize) tight() bool { return s.limit < s.needed }

// sizingOf derives what was not given of the items and the limit from the other.
func memorySizeOf(spec *v1alpha1.MemcachedSpec) memorySize {
	cache := &spec.Cache
	percent := ptr.Deref(cache.OverheadPercent, defaultOverheadPercent)
	beside := classesMiB(cache.ExtraArgs) + connectionsMiB(maxConnections(cache), eachConnectionKiB(spec))
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	items := ptr.Deref(cache.MemoryMB, defaultMemoryMB)
	if limited && cache.MemoryMB == nil {
		items = min(itemsUnder(mebibytes(limit), beside, percent), mostItemMiB)
	}
	size := memorySize{items: items, needed: limitFor(items, beside, percent), fixed: beside, percent: percent}
	size.limit = size.needed
	if limited {
		size.limit = mebibytes(limit)
	}
	return size
}

// itemsUnder returns how many MiB of items are safe under a limit, which may come out negative.
func itemsUnder(limit, beside, overheadPercent int64) int64 {
	return (limit - beside) * 100 / (100 + overheadPercent)
}

// limitFor returns the limit under which so many MiB of items are safe.
func limitFor(items, beside, overheadPercent int64) int64 {
	return ceilDiv(items*(100+overheadPercent), 100) + beside
}

// classesMiB is what memcached takes beside items and connections, by the arguments that say how many classes there are.
func classesMiB(args []string) int64 {
	if slices.ContainsFunc(args, makesClasses) {
		return baseMiB + moreClassesMiB
	}
	return baseMiB
}

// makesClasses is true for the flags of the growth factor and of the least item, and for the list of all classes.
func makesClasses(arg string) bool {
	return arg == "-f" || arg == "-n" || abbreviatedBy(arg)("slab-growth-factor") || abbreviatedBy(arg)("slab-min-size") ||
		strings.Contains(arg, "slab_sizes")
}

func eachConnectionKiB(spec *v1alpha1.MemcachedSpec) int64 {
	each := int64(connectionKiB)
	if spec.TLS != nil {
		each = connectionTLSKiB
	}
	if clientAuth(spec) != v1alpha1.ClientAuthNone {
		each += certificateKiB
	}
	if authMode(spec) == v1alpha1.AuthSASL {
		each += saslKiB
	}
	return each
}

func connectionsMiB(connections, kibibytesEach int64) int64 {
	return ceilDiv(connections*kibibytesEach, 1024)
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func mebibytes(quantity resource.Quantity) int64 { return quantity.Value() / mebibyte }

// rounded are resources as the API server stores them, which knows nothing below a thousandth: otherwise the answer would
// differ from what is stored at every sync.
//
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList
func roundedResources(given corev1.ResourceRequirements) corev1.ResourceRequirements {
	all := *given.DeepCopy()
	for _, list := range []corev1.ResourceList{all.Limits, all.Requests} {
		for name, quantity := range list {
			quantity.RoundUp(resource.Milli)
			list[name] = quantity
		}
	}
	return all
}

// resources are those that were given, with a memory limit and a request of the same: a cache fills the memory that it
// was given, so a node must have it.
func containerResources(given corev1.ResourceRequirements, size memorySize) corev1.ResourceRequirements {
	all := roundedResources(given)
	if all.Limits == nil {
		all.Limits = corev1.ResourceList{}
	}
	if all.Requests == nil {
		all.Requests = corev1.ResourceList{}
	}
	if _, limited := all.Limits[corev1.ResourceMemory]; !limited {
		all.Limits[corev1.ResourceMemory] = *resource.NewQuantity(size.limit*mebibyte, resource.BinarySI)
	}
	if _, requested := all.Requests[corev1.ResourceMemory]; !requested {
		all.Requests[corev1.ResourceMemory] = all.Limits[corev1.ResourceMemory]
	}
	return all
}
