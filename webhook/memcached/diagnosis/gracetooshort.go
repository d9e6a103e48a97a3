package diagnosis

import (
	"time"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
)

/*
A server that is being deleted ends soon, and its items are not on the spare.

This check looks at the deletion timestamp of each server that proxies use and that holds. The spare cannot start, another server is moved
first, or the time was too short. Before that, it compares the grace period of servers with the time that the items of a server took in the last move.
*/

// ReasonGraceTooShort is for a server whose time ends before its items have moved.
var ReasonGraceTooShort = conditions.NewReason(conditions.SeverityRisk, conditions.Documentation{ID: "GraceTooShort", Parent: "Memcached",
	Meaning: "A server that is being deleted ends in less than a minute, and its items are still moving, or wait for another server: [Drains](change.md#drains). The items that have not moved then are lost. Or no server is being deleted, and the items of a server took longer than its grace period in the last change of this cache, so that a drain would lose items.",
	Remedy:  "If the spare does not start, fix what its pod reports. Otherwise increase `spec.terminationGracePeriodSeconds` and the limit of what drains the nodes, or `spec.proxy.warmup.itemsPerSecond`."})

// endsSoon is the rest of the grace period in which a server should have no items any more.
const endsSoon = time.Minute

func graceTooShort(in *Input) conditions.Finding {
	ordinal, left, found := endsNext(in.Facts, in.Decision.Routes)
	switch {
	case !found:
		return conditions.Finding{Risk: drainTooLong(in)}
	case left > endsSoon:
		return conditions.Finding{Wait: left - endsSoon}
	}
	server := in.Facts.Servers[ordinal]
	return conditions.Finding{Wait: left, Risk: ReasonGraceTooShort.Risk(
		"Pod %s is being deleted and ends at %s, and %s. Items that have not moved by then are lost. Check the pods of the cache and of its Job. For later drains, increase spec.terminationGracePeriodSeconds.",
		server.Name, server.GraceEnds.UTC().Format(time.RFC3339), stage(in.Decision.Routes, ordinal))}
}

// drainTooLong returns the risk of a drain that takes as long as a server did in the last move; nil if there is time.
func drainTooLong(in *Input) *conditions.Risk {
	status := in.Decision.ProxyStatus
	if status == nil || !in.Images.HasHold() {
		return nil
	}
	grace := children.GracePeriodSeconds(&in.Memcached.Spec, in.Images)
	if status.SecondsPerServer <= grace {
		return nil
	}
	return ReasonGraceTooShort.Risk("The items of a server took %d s to move in the last change, and the grace period of the servers is %d s: a server that is drained ends before its items have moved. Increase spec.terminationGracePeriodSeconds, or spec.proxy.warmup.itemsPerSecond, whose effect is known after the next change.",
		status.SecondsPerServer, grace)
}

// endsNext returns the server whose grace period ends first, of those that are being deleted and still have items that proxies find, and
// the time left.
func endsNext(f moves.Facts, r moves.Routes) (next int32, left time.Duration, found bool) {
	for ordinal, server := range f.Servers {
		if !r.FindsItems(ordinal) || !f.StillServes(ordinal) {
			continue
		}
		if each := server.GraceEnds.Sub(f.Now); !found || each < left || each == left && ordinal < next {
			next, left, found = ordinal, each, true
		}
	}
	return next, left, found
}

// stage returns how far the move of a server is.
func stage(r moves.Routes, ordinal int32) string {
	switch {
	case r.To.Has(ordinal):
		return "another move comes first"
	case r.Phase == moves.Warming:
		return "its items are still moving"
	}
	return "its items do not move yet"
}
