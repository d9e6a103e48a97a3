// Package moves decides how a cache changes its size or its pod template without a loss of items: which pods run, which of them keep
// their pod template, which servers the proxies use, and what a move waits for. [Facts.Decide] is the only decision. It is a pure function
// of what is observed.
//
// One StatefulSet runs all servers, and those that serve are a range of its ordinals. With proxies, a change of the size moves items within
// the range, and a change of the pod template moves them to the next range, whose pods start with the new template. The items of a server
// that is being deleted move to a spare, and back when it has started again. A move has the phases of routes.go. The proxies have their
// phase and the servers in a label, so that the observed Deployment and pods say how far a move is.
//
// What a decision goes through, and what it consists of:
//
//	Facts       what is desired and observed
//	situation   the facts of a cache with proxies, and how far its move is (situation.go, proxies.go)
//	target      the servers that a move is to (target.go)
//	outcome     what the function of a phase returns (phases.go, begin.go, stop.go)
//	Decision    an outcome, and what follows from it (decision.go): which pods keep their template (template.go), and what status has (record.go).
//	            A cache without proxies has its own decision (direct.go)
//
//	Range       a range of ordinals
//	Pool        the servers of proxies by slot: a range, some of whose slots spares may have
//	Move        the pools before and after it
//	Routes      a move and a phase: what proxies do
//	DesiredJob  routes, and for which rollout a Job cleans or copies items
//	Report      what users read about a move (report.go)
//
// Three rules make a move safe in any order of events. A phase begins when all proxies that may run have the routes of the phase before it.
// A time in status counts only for the rollout that it was recorded for: a status that is lost, old or restored makes a move longer, never
// shorter. A decision that the observed objects do not show yet is repeated.
package moves

import (
	"slices"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// Facts are what a decision follows from.
type Facts struct {
	Now time.Time

	// Size is spec.size.
	Size int32
	// MaxStep is the maximum number of servers to add or remove in one step; 0 if a change is one step.
	MaxStep int32
	// Interval is the minimum time between two steps.
	Interval time.Duration

	// Workload is the StatefulSet of the servers, or their Deployment without proxies; nil if it is not observed.
	Workload *Workload
	// Servers are the pods of the StatefulSet that exist, by ordinal.
	Servers map[int32]Server
	// RecordedOrdinals are the servers in status.
	RecordedOrdinals Range

	Proxies Proxies
	// PredecessorPods are pods of a deleted Memcached of the same name that serve on: servers, and proxies whose nodes do not respond.
	// Proxies would reach it by its name, and find its items. HasOrphans reports whether servers are older than the Memcached and none of
	// its workloads is observed: the garbage collector has not deleted them yet, or they wait for their adoption.
	PredecessorPods []Pod
	HasOrphans      bool
	// Job is the observed Job of a move; nil if there is none, or if it is being deleted.
	Job *ObservedJob
	// CanRunJob reports whether a Job can run.
	CanRunJob bool
	// Status is the recorded status of the parent.
	Status *v1alpha1.MemcachedStatus
}

// Workload is the observed workload of servers.
type Workload struct {
	v1alpha1.Revision
	// Ordinals are the ordinals of its pods. Those of a Deployment count from 0.
	Ordinals Range
	// Partition is the number of its first pods that keep their pod template.
	Partition        int32
	Ready, Available int32
	// TemplateApplied reports whether the desired pod template was applied last. It is not compared, and false, if neither
	// spec nor status has proxies.
	TemplateApplied bool
	// CaughtUp reports whether the StatefulSet controller has observed all of the workload.
	CaughtUp bool
}

// Proxies are the desired and the observed proxies.
type Proxies struct {
	// Desired reports whether spec has proxies.
	Desired  bool
	Replicas int32
	// Warmup is the longest time for items to move; 0 if no items move, and a change of the pod template replaces the pods in place.
	Warmup time.Duration
	// Deployment is nil if none is observed.
	Deployment *Deployment
	// Pods are all proxies that exist and have not finished.
	Pods []ProxyPod
}

// Deployment is the observed Deployment of the proxies.
type Deployment struct {
	v1alpha1.Revision
	Routes   Routes
	Replicas int32
	// Updated reports whether exactly as many pods exist as desired, and all have the current template. RolledOut reports whether all are
	// also available. They do not count pods that are being deleted.
	Updated, RolledOut bool
	// CaughtUp reports whether the Deployment controller has observed all of it, so that Revision is that of the pod template.
	CaughtUp bool
}

// ProxyPod is an observed proxy.
type ProxyPod struct {
	Pod
	Routes Routes
}

// existingOrdinals returns the servers that exist. While the workload is not observed, they are those that status or pods show.
func (f Facts) existingOrdinals() Range {
	existing := f.RecordedOrdinals
	if f.Workload != nil {
		existing = f.Workload.Ordinals
	} else if ordinals := f.notDeleted(); len(ordinals) > 0 && slices.Min(ordinals) <= MaxFirst {
		first := slices.Min(ordinals)
		existing = existing.join(Range{first, slices.Max(ordinals) + 1 - first})
	}
	existing.Count = min(existing.Count, MaxPods) // somebody may have scaled them
	return existing
}

// notDeleted returns the ordinals of servers that are not being deleted.
func (f Facts) notDeleted() (ordinals []int32) {
	for ordinal, server := range f.Servers {
		if server.GraceEnds == nil {
			ordinals = append(ordinals, ordinal)
		}
	}
	return ordinals
}
