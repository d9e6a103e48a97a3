package moves

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	waiting, adding     = v1alpha1.MoveWaiting, v1alpha1.MoveAddingServers
	cleaning, preparing = v1alpha1.MoveCleaning, v1alpha1.MovePreparing
	warmUp, closing     = v1alpha1.MoveWarmingUp, v1alpha1.MoveClosing
	removing            = v1alpha1.MoveRemovingServers
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

var rollout = v1alpha1.Revision{Created: metav1.NewTime(noon.Add(-time.Hour)), Number: 5}

// factsOf returns the facts of a cache with so many ready servers and two proxies with the routes of a label, which all run and
// have the routes since an hour. The warm-up takes ten minutes.
func factsOf(size, servers int32, label string) *Facts {
	routes := ParseRoutes(label)
	s := &Facts{
		Now: noon, Size: size, Interval: time.Minute, Status: &v1alpha1.MemcachedStatus{},
		Proxies: Proxies{
			Desired: true, Replicas: 2, Warmup: 10 * time.Minute, Pods: []ProxyPod{{Routes: routes}, {Routes: routes}},
			Deployment: &Deployment{Revision: rollout, Routes: routes, Replicas: 2, Updated: true, RolledOut: true, CaughtUp: true},
		},
	}
	s.Workload, s.Servers = observed(servers)
	s.recorded(rollout, 0)
	return s
}

// observed returns a StatefulSet with so many ready servers that have the desired template.
func observed(count int32) (*Workload, map[int32]Server) {
	set := &Workload{Ordinals: Range{0, count}, Ready: count, Available: count, TemplateApplied: true, CaughtUp: true}
	servers := map[int32]Server{}
	for i := range count {
		servers[i] = Server{State: ServerReady, Updated: true}
	}
	return set, servers
}

// recorded records the phase of the routes for a rollout, and its end in so many seconds; 0 for none.
func (s *Facts) recorded(observed v1alpha1.Revision, until int) {
	r := s.Proxies.Deployment.Routes
	s.Status.Proxy = situation{revision: observed}.record(r, phaseReport(r))
	if used := r.To.Span(); r.Phase == Steady && s.existingOrdinals() != used {
		s.Status.Proxy.Move = removal(s.existingOrdinals(), used).status(nil, noon)
	}
	if s.Status.Proxy.Move != nil && until != 0 {
		s.Status.Proxy.Move.Until = new(metav1.NewTime(noon.Add(time.Duration(until) * time.Second)))
	}
}

func (s *Facts) recordedRemoval(from, to int32) {
	s.Status.Proxy.Move = &v1alpha1.MoveStatus{For: v1alpha1.MoveResize, From: from, To: to, Phase: removing}
}

func until(seconds int) func(*Facts) { return func(s *Facts) { s.recorded(rollout, seconds) } }

// decided lets status have a decision for this rollout that the Deployment does not show.
func decided(label string) func(*Facts) {
	return func(s *Facts) {
		s.Status.Proxy = situation{revision: rollout}.record(ParseRoutes(label), phaseReport(ParseRoutes(label)))
	}
}

// unobserved lets a proxy be missing in the observation.
func unobserved(s *Facts) { s.Proxies.Pods = s.Proxies.Pods[:1] }

func busy(s *Facts) { s.Proxies.Deployment.RolledOut = false }

func ended(proxies ...ProxyPod) func(*Facts) {
	return func(s *Facts) {
		s.Proxies.Deployment.Replicas, s.Proxies.Pods = 0, proxies
	}
}

// cleans lets the Job of the rollout run: in a decrease, it cleans the servers that stay.
func cleans(s *Facts) {
	s.CanRunJob, s.Job = true, &ObservedJob{For: DesiredJob{Routes: s.Proxies.Deployment.Routes, Rollout: rollout.String()}}
}

func created(secondsAgo int) func(*Facts) {
	return func(s *Facts) { s.Job.Created = noon.Add(-time.Duration(secondsAgo) * time.Second) }
}

func complete(s *Facts) { s.Job.Complete = true }

func steps(s *Facts) {
	s.MaxStep = 1
	s.Status.Scaling = &v1alpha1.ScalingStatus{Observed: rollout, LastStepTime: new(metav1.NewTime(noon.Add(-time.Hour)))}
}

func all(changes ...func(*Facts)) func(*Facts) {
	return func(s *Facts) {
		for _, change := range changes {
			change(s)
		}
	}
}
