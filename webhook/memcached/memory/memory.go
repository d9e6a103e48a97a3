// Package memory derives the memory of a pod from spec: the memory for items, the memory limit, and the memory that a flash tier
// needs.
package memory

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// What memcached uses in addition to the items that its -m limits. manifests/docs/configure.md has the measurements.
const (
	Mebibyte = 1 << 20

	// baseMiB is 8 MiB for the process and 40 MiB for first pages. Every slab class gets a first page of 1 MiB, even when the
	// items have reached their limit: https://github.com/memcached/memcached/issues/1025
	baseMiB = 48
	// extraClassesMiB is for the first pages of additional slab classes. The default growth factor creates about 40 classes,
	// other arguments at most 63.
	extraClassesMiB = 24
	// connectionKiB is for a connection without TLS. An idle connection uses 0.6 KiB, a connection with a read buffer 6 KiB,
	// and not all connections have a read buffer.
	connectionKiB = 4
	// tlsConnectionKiB is for a connection with TLS, which uses 15.6 KiB even when idle.
	tlsConnectionKiB = 20
	// clientCertificateKiB is what a client certificate adds to a connection; 8.3 KiB were measured.
	clientCertificateKiB = 9
	// saslKiB is what a SASL login adds to a connection; 3.5 KiB were measured.
	saslKiB = 4

	// proxyBaseMiB and proxyConnectionKiB are for a proxy, which stores no items. A connection that is idle takes 0.6 KiB. A command
	// with a value of 1 kB takes 16 KiB, and 44 KiB in the phase WarmingUp, and all connections have one when a server hangs. The
	// base has room for larger values. The default of 1024 connections results in 256 MiB.
	proxyBaseMiB       = 208
	proxyConnectionKiB = 48
	// proxyHandshakeKiB is for a TLS handshake with a client certificate: after a rollout, all clients connect at the same time.
	proxyHandshakeKiB = 64

	MinItemMiB     = 16
	maxItemMiB     = 1 << 20
	DefaultItemMiB = 64
)

// Size is the memory of one pod, in MiB.
type Size struct {
	ItemMiB  int64
	LimitMiB int64
	// NeededMiB is the lowest limit that is safe for ItemMiB. Of it, FixedMiB do not depend on the items, and OverheadPercent
	// is added to the items.
	NeededMiB, FixedMiB, OverheadPercent int64
	// KeysMiB is the part of the memory for items that the keys of the items on flash need, and FlashMiB the size of the flash.
	KeysMiB, FlashMiB int64
}

// Of derives the memory for items from the memory limit, or the limit from the memory for items, if spec has only
// one of them.
func Of(spec *v1alpha1.MemcachedSpec) Size {
	cache := &spec.Cache
	percent := *cache.OverheadPercent
	fixedMiB := slabMiB(cache.ExtraArgs) + connectionsMiB(*cache.MaxConnections, connectionSizeKiB(spec)) + flashBuffersMiB(spec.Flash)
	keysMiB := flashKeysMiB(spec.Flash)
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	itemMiB := min(DefaultItemMiB+keysMiB, maxItemMiB)
	switch {
	case cache.Memory != nil:
		itemMiB = Mebibytes(*cache.Memory)
	case limited:
		itemMiB = min(itemsFor(Mebibytes(limit), fixedMiB, percent), maxItemMiB)
	}
	size := Size{
		ItemMiB: itemMiB, NeededMiB: LimitFor(itemMiB, fixedMiB, percent), FixedMiB: fixedMiB,
		OverheadPercent: percent, KeysMiB: keysMiB, FlashMiB: FlashMiB(spec.Flash),
	}
	size.LimitMiB = size.NeededMiB
	if limited {
		size.LimitMiB = Mebibytes(limit)
	}
	return size
}

// LimitTooLow reports whether the items may need more memory than the limit.
func (s Size) LimitTooLow() bool { return s.LimitMiB < s.NeededMiB }

// itemsFor returns how many MiB of items are safe with a limit. The result may be negative.
func itemsFor(limitMiB, fixedMiB, overheadPercent int64) int64 {
	return (limitMiB - fixedMiB) * 100 / (100 + overheadPercent)
}

// LimitFor returns the lowest limit that is safe for an amount of items.
func LimitFor(itemMiB, fixedMiB, overheadPercent int64) int64 {
	return ceilDiv(itemMiB*(100+overheadPercent), 100) + fixedMiB
}

// slabMiB returns what memcached uses in addition to items and connections. Arguments may increase the number of slab
// classes, and the hash table.
func slabMiB(args []string) int64 {
	size := baseMiB + hashTableMiB(args)
	if slices.ContainsFunc(args, addsSlabClasses) {
		size += extraClassesMiB
	}
	return size
}

// hashTableMiB returns the memory of a hash table whose initial size is an argument: 8 bytes for each of 2^hashpower buckets. memcached does
// not start with more than 32. Without an argument it has 0.5 MiB, and grows with the items.
//
// https://github.com/memcached/memcached/blob/master/assoc.c, assoc_init
func hashTableMiB(args []string) int64 {
	const maxPower = 32
	for option := range strings.SplitSeq(strings.Join(args, ","), ",") {
		if value, found := strings.CutPrefix(option, "hashpower="); found {
			power, _ := strconv.ParseUint(value, 10, 8)
			return 8 << min(power, maxPower) / Mebibyte
		}
	}
	return 0
}

// addsSlabClasses reports whether an argument is the growth factor, the minimum item size or the sizes of slab classes.
func addsSlabClasses(arg string) bool {
	return arg == "-f" || arg == "-n" || strings.HasPrefix(arg, "--slab-") || strings.Contains(arg, "slab_sizes")
}

// ProxyLimitMiB returns the memory limit of a proxy.
func ProxyLimitMiB(spec *v1alpha1.MemcachedSpec) int64 {
	size := int64(proxyConnectionKiB)
	if spec.TLS != nil {
		size += proxyHandshakeKiB
	}
	return proxyBaseMiB + connectionsMiB(*spec.Cache.MaxConnections, size)
}

func connectionsMiB(connections, kibibytesEach int64) int64 {
	return ceilDiv(connections*kibibytesEach, 1024)
}

func connectionSizeKiB(spec *v1alpha1.MemcachedSpec) int64 {
	size := int64(connectionKiB)
	spec = spec.ForServers()
	if spec.TLS != nil {
		size = tlsConnectionKiB
	}
	if spec.ClientAuth() != v1alpha1.ClientAuthNone {
		size += clientCertificateKiB
	}
	if spec.AuthMode() == v1alpha1.AuthSASL {
		size += saslKiB
	}
	return size
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// Mebibytes returns a Quantity in whole MiB, rounded down.
func Mebibytes(quantity resource.Quantity) int64 { return quantity.Value() / Mebibyte }

// MebibyteQuantity returns a number of MiB as a Quantity.
func MebibyteQuantity(count int64) *resource.Quantity {
	return resource.NewQuantity(count*Mebibyte, resource.BinarySI)
}
