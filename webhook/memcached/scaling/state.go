// Package scaling decides how a cache changes its size or its pod template without a loss of items: how many servers run, which
// servers the proxies use, and what a change waits for. [State.Next] is the only decision. It is a pure function of what is observed.
//
// With proxies, a change has the phases of phases.go. The servers are in one StatefulSet if only the size changes, and in two if the pod
// template does. The proxies have the phase and the servers in a label, so that the observed Deployment and pods say how far a change is.
//
// Three rules make a change safe in any order of events. A phase begins when all proxies that may run have the routes of the
// phase before it. A time in status counts only for the rollout that it was recorded for: a status that is lost, old or
// restored makes a change longer, never shorter. A decision that the observed objects do not show yet is repeated.
package scaling

import (
	"time"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// observationDelay is how long servers are not needed before they are removed, if not all proxies are observed or available. It is the
	// only step that cannot be undone, and Metacontroller can observe the proxies a moment later than the servers.
	observationDelay = 10 * time.Second
	// claimDelay is longer than the items last that preparing proxies write, and that steady ones would return.
	claimDelay = 10 * time.Second
)

// State is what a decision follows from.
type State struct {
	Now time.Time

	// Size is spec.size.
	Size int32
	// MaxStep is the maximum number of servers to add or remove in one step; 0 if a change is one step.
	MaxStep int32
	// Interval is the minimum time between two steps.
	Interval time.Duration

	// Sets are the servers. Those of a Deployment are the first set, and OneSet reports whether spec has a Deployment. Its pods have no
	// ordinals, so no proxy uses them, whatever its label says.
	Sets   [2]ObservedSet
	OneSet bool
	// Warm reports whether a change of the pod template moves the items to the other set. Otherwise the pods are replaced in place.
	Warm bool

	Proxies Proxies
	// Copy is the observed Job of a change; nil if there is none, or if it is being deleted.
	Copy *Copy
	// CanCopy reports whether a Job can run.
	CanCopy bool
	// Status is the recorded status of the parent.
	Status *v1alpha1.MemcachedStatus
}

// Workload is an observed workload of servers.
type Workload struct {
	v1alpha1.Revision
	Replicas, Ready, Available int32
	// Current reports whether the pod template is the desired one, and Updated whether all pods have the pod template.
	Current, Updated bool
}

// Pod is a pod. It may run as long as it exists.
type Pod struct {
	Name string
	// Deleted is the deletion timestamp; nil if the pod is not being deleted.
	Deleted *time.Time
}

// Server is a pod with a server.
type Server struct {
	Pod
	// Ready is false for a pod that is being deleted, although it may still serve.
	Ready bool
	// HasItems reports whether memcached runs since the pod was ready last. So it is also true while the pod is not ready for a moment,
	// or because of another container.
	HasItems bool
}

// Proxies are the desired and the observed proxies.
type Proxies struct {
	// Desired reports whether spec has proxies.
	Desired  bool
	Replicas int32
	Warmup   time.Duration
	// Deployment is nil if none is observed.
	Deployment *Deployment
	// Pods are all proxies that exist and have not finished.
	Pods []Proxy
}

// Deployment is the observed Deployment of the proxies.
type Deployment struct {
	v1alpha1.Revision
	Routes   Routes
	Replicas int32
	// RolledOut reports whether exactly as many pods exist as desired, and all have the current template and are available.
	// It does not count pods that are being deleted.
	RolledOut bool
	// Observed reports whether Revision is that of the pod template.
	Observed bool
}

// Proxy is an observed pod.
type Proxy struct {
	Pod
	Routes Routes
}

// Replicas returns the number of servers of both sets.
func (p Plan) Replicas() int32 { return p.Sets[First].Replicas + p.Sets[Second].Replicas }

// Plan is a decision.
type Plan struct {
	// Sets are the servers, and InUse is the set whose servers serve. It always exists.
	Sets  [2]DesiredSet
	InUse Set
	// Proxies is the desired number of proxies, and Routes are what they do.
	Proxies int32
	Routes  Routes
	// Copy is the desired Job; the zero value if there is none.
	Copy Job
	// Scaling is the step to record in status; nil without maxStep.
	Scaling *v1alpha1.ScalingStatus
	// Proxy is the change to record in status; nil if no proxy runs or is desired. Its other fields are not set.
	Proxy *v1alpha1.ProxyStatus
	// Wait is the time until the decision may differ although no object changes; 0 if there is no such time.
	Wait time.Duration
	// Overdue is the name of a pod that the change waits for, and that still exists after its grace period; "" if there is none.
	Overdue string
}
