package memcached

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// proxyObservation returns what the proxies are assessed from.
func (s *syncState) proxyObservation() conditions.Observation {
	memcached := s.request.Parent
	pods := observed.LivePods(s.request.Related.Pods.All(), memcached.Namespace, children.ProxySelector(memcached))
	o := observationOf(s.request, s.proxies, pods)
	o.Selector, o.Container = children.ProxySelector(memcached), proxy.ContainerName
	o.Rollout = conditions.RolloutOf(s.proxies, s.plan.Proxies, memcached, pods)
	for _, child := range s.observation.Children {
		if child.(metav1.Object).GetName() == proxy.Name(memcached) { // the Deployment is the first of them
			o.Children = append(o.Children, child)
		}
	}
	o.LastStep = s.lastChange().Time
	o.Remedies = diagnosis.ProxyRemedies()
	return o
}

// proxyStatus returns the status of the proxies; nil if there are none.
func (s *syncState) proxyStatus(assessment *conditions.Assessment) *v1alpha1.ProxyStatus {
	if s.plan.Proxy == nil {
		return nil
	}
	status := s.plan.Proxy.DeepCopy()
	status.LastChangeTime = s.lastChange()
	if assessment.Proxies != nil {
		status.Address, status.ReadyReplicas = proxy.Address(s.request.Parent), assessment.Proxies.Rollout.Ready
	}
	return status
}

// changeTimeStep is the precision of the time of the last change. A sync that observes the status before the last write does not know when the
// change was recorded, and records the same time if it follows within the step. The time delays reports by a minute, so seconds do not matter.
const changeTimeStep = 10 * time.Second

// lastChange returns when the routes of the proxies or the number of servers changed last.
func (s *syncState) lastChange() *metav1.Time {
	status, now := &s.request.Parent.Status, s.request.Now
	if before := status.Proxy; before != nil && before.LastChangeTime != nil && !before.LastChangeTime.After(now.Time) &&
		scaling.RecordedRoutes(before) == s.plan.Routes && len(status.Servers) == int(s.plan.Run.Count) {
		return before.LastChangeTime
	}
	return new(metav1.NewTime(now.Truncate(changeTimeStep)))
}
