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
	Meaning: "A server that is being deleted stops within a minute, and items that have not moved by then are lost: [Drains](change.md#drains). The reason also appears if moving the items of a server took longer in the last move than its grace period, so that a drain would lose items.",
	Remedy:  "If the spare does not start, fix the problem that its pod reports. Otherwise, increase `spec.terminationGracePeriodSeconds` and the timeout of the tool that drains the nodes, or increase `spec.proxy.warmup.itemsPerSecond`."})

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
		"Pod %s is being deleted and stops at %s, but %s. Items that have not moved by then will be lost. Check the pods of the cache and its Job, and increase spec.terminationGracePeriodSeconds for later drains.",
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
	return ReasonGraceTooShort.Risk("In the last move, a server took %d s to move its items, but the grace period is %d s, so a drain would lose items. Increase spec.terminationGracePeriodSeconds or spec.proxy.warmup.itemsPerSecond; the next move shows whether this is enough.",
		status.SecondsPerServer, grace)
}

// endsNext returns the server whose grace period ends first, of those that are being deleted and still have items that proxies find, and
// the time left.
func endsNext(f moves.Facts, r moves.Routes) (next int32, left time.Duration, found bool) {
	for ordinal, server := range f.Servers {
		if !r.FindsItems(ordinal) || server.State != moves.ServerHolding {
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
	return "its items are not moving yet"
}
