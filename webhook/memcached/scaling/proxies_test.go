package scaling

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	waiting, adding   = v1alpha1.ResizeWaiting, v1alpha1.ResizeAddingServers
	preparing, warmUp = v1alpha1.ResizePreparing, v1alpha1.ResizeWarmingUp
	closing, removing = v1alpha1.ResizeClosing, v1alpha1.ResizeRemovingServers
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) // 1795262400

var rollout = v1alpha1.Revision{Created: metav1.NewTime(noon.Add(-time.Hour)), Generation: 5}

// cache returns the state of a cache with so many ready servers and two proxies with the routes of a label, which all run and
// have the routes since an hour. The warm-up takes ten minutes.
func cache(size, servers int32, label string) *State {
	routes := ParseRoutes(label)
	s := &State{
		Now: noon, Size: size, Interval: time.Minute, Status: &v1alpha1.MemcachedStatus{}, Warm: true,
		Sets: [2]ObservedSet{observed(servers)},
		Proxies: Proxies{
			Desired: true, Replicas: 2, Warmup: 10 * time.Minute, Pods: []Proxy{{Routes: routes}, {Routes: routes}},
			Deployment: &Deployment{Revision: rollout, Routes: routes, Replicas: 2, RolledOut: true},
		},
	}
	s.recorded(rollout, 0)
	return s
}

// observed returns a set with so many ready servers that have the desired template.
func observed(servers int32) ObservedSet {
	o := ObservedSet{Workload: &Workload{Replicas: servers, Ready: servers, Available: servers, Current: true, Updated: true}, Servers: map[int32]Server{}}
	for i := range servers {
		o.Servers[i] = Server{Ready: true}
	}
	return o
}

// recorded records the phase of the routes for a rollout, and its end in so many seconds; 0 for none.
func (s *State) recorded(observed v1alpha1.Revision, until int) {
	s.Status.Proxy = record(s.Proxies.Deployment.Routes)
	if r := s.Proxies.Deployment.Routes; r.Phase == Steady && s.Sets[r.To.Set].existing() > r.To.Count {
		s.Status.Proxy.Resize = resize(removing, Servers{r.To.Set, s.Sets[r.To.Set].existing()}, r.To)
	}
	s.Status.Proxy.Observed = observed
	if s.Status.Proxy.Resize != nil && until != 0 {
		s.Status.Proxy.Resize.Until = new(metav1.NewTime(noon.Add(time.Duration(until) * time.Second)))
	}
}

func (s *State) recordedPhase(phase v1alpha1.ResizePhase, from, to int32) {
	s.Status.Proxy.Resize = &v1alpha1.ResizeStatus{From: from, To: to, Phase: phase}
}

func until(seconds int) func(*State) { return func(s *State) { s.recorded(rollout, seconds) } }

func busy(s *State) { s.Proxies.Deployment.RolledOut = false }

func ended(proxies ...Proxy) func(*State) {
	return func(s *State) {
		s.Proxies.Deployment.Replicas, s.Proxies.Pods = 0, proxies
	}
}

func steps(s *State) {
	s.MaxStep = 1
	s.Status.Scaling = &v1alpha1.ScalingStatus{Observed: rollout, LastStepTime: new(metav1.NewTime(noon.Add(-time.Hour)))}
}

func all(changes ...func(*State)) func(*State) {
	return func(s *State) {
		for _, change := range changes {
			change(s)
		}
	}
}

func TestNext(t *testing.T) {
	deleted := func(secondsAgo int) Proxy {
		return Proxy{Routes: ParseRoutes("3"), Deleted: new(noon.Add(-time.Duration(secondsAgo) * time.Second))}
	}
	cases := []struct {
		reason        string
		size, servers int32
		label         string
		change        func(*State)

		wantServers, wantProxies int32
		wantLabel                string
		wantPhase                v1alpha1.ResizePhase
		wantWait                 int // seconds
	}{
		{"nothing to do", 3, 3, "3", nil, 3, 2, "3", "", 0},
		{"up: servers first", 4, 3, "3", nil, 4, 2, "3", adding, 0},
		{"up: the new server has not started", 4, 4, "3", func(s *State) {
			s.Sets[First].Workload.AddedFor = rollout.String()
			s.Sets[First].Servers[3] = Server{}
		}, 4, 2, "3", adding, 0},
		{"up: servers were added, and proxies are not rolled out: they are not unused, although status has no phase yet", 4, 4, "3", all(busy, func(s *State) {
			s.Sets[First].Workload.AddedFor, s.Status.Proxy.Resize = rollout.String(), nil
		}), 4, 2, "3", adding, 0},
		{"up: servers are ready", 4, 4, "3", func(s *State) { s.Sets[First].Workload.AddedFor = rollout.String() }, 4, 2, "3-4-preparing", preparing, 0},
		{"up: a server of the same name may have old items", 4, 4, "3", nil, 4, 2, "3", removing, 10},
		{"up: servers were added for an earlier rollout", 4, 4, "3", func(s *State) { s.Sets[First].Workload.AddedFor = "2026-11-21T11:00:00Z-4" }, 4, 2, "3", removing, 10},
		{"up: a removed server still stops", 4, 3, "3", func(s *State) { s.Sets[First].Servers[3] = Server{} }, 3, 2, "3", waiting, 0},
		{"up: a removed server is being deleted, and may still serve", 4, 3, "3", func(s *State) { s.Sets[First].Servers[3] = Server{Deleted: deleted(20).Deleted} }, 3, 2, "3", waiting, 40},
		{"up: the proxies are not prepared", 4, 4, "3-4-preparing", busy, 4, 2, "3-4-preparing", preparing, 0},
		{"up: the proxies are prepared, but the new server has failed", 4, 4, "3-4-preparing", func(s *State) { s.Sets[First].Servers[3] = Server{} }, 4, 2, "3-4-preparing", preparing, 0},
		{"up: the proxies are prepared", 4, 4, "3-4-preparing", nil, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"up: the warm-up begins", 4, 4, "3-4-warming-1795263600", nil, 4, 2, "3-4-warming-1795263600", warmUp, 600},
		{"up: the warm-up goes on", 4, 4, "3-4-warming-1795263600", until(1), 4, 2, "3-4-warming-1795263600", warmUp, 1},
		{"up: the warm-up ends", 4, 4, "3-4-warming-1795263600", until(-1), 4, 2, "3-4-closing-1795263600", closing, 0},
		{"up: the warm-up has ended, but a proxy is not available", 4, 4, "3-4-warming-1795263600", all(until(-1), busy), 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"up: the change is closed", 4, 4, "3-4-closing-1795263600", nil, 4, 2, "4-1795263600", "", 0},
		{"down: servers still have marks", 3, 4, "4-1795262500", nil, 4, 2, "4-1795262500", waiting, 100},
		{"down: servers still have marks, and a proxy is not available: status keeps the phase", 3, 4, "4-1795262500", all(busy, func(s *State) { s.recordedPhase(waiting, 4, 3) }), 4, 2, "4-1795262500", waiting, 0},
		{"down: no server has marks", 3, 4, "4-1795262400", nil, 4, 2, "4-3-preparing-1795262400", preparing, 0},
		{"down: the change is closed", 3, 4, "4-3-closing-1795262500", nil, 4, 2, "3", removing, 0},
		{"down: servers are removed later, because newer proxies may not be observed", 3, 4, "3", nil, 3 + 1, 2, "3", removing, 10},
		{"down: servers are removed", 3, 4, "3", until(-1), 3, 2, "3", removing, 0},
		{"down: a former proxy runs", 3, 4, "3", all(until(-1), func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("4") }), 4, 2, "3", removing, 0},
		{"down, then back while the proxies prepare", 4, 4, "4-3-preparing", nil, 4, 2, "4", "", 0},
		{"down, then back while some proxies prepare: the others stay", 4, 4, "4-3-preparing-1795262400", all(busy, func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("4-1795262400") }), 4, 2, "4-1795262400", "", 0},
		{"up, then back while some proxies prepare", 3, 4, "3-4-preparing", all(busy, func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("3") }), 4, 2, "3", removing, 0},
		{"down, then back, but a proxy moves items", 4, 4, "4-3-preparing", func(s *State) { s.Proxies.Pods[0].Routes = ParseRoutes("4-3-warming-1795263600") }, 4, 2, "4-3-preparing", preparing, 0},
		{"down, then back during the warm-up: the change ends first", 4, 4, "4-3-warming-1795263600", until(100), 4, 2, "4-3-warming-1795263600", warmUp, 100},

		{"finding 1: size 0, and a proxy still stops: the others do not start again", 0, 3, "3", all(steps, ended(deleted(-20)), func(s *State) { s.Status.Scaling.LastStepTime = &metav1.Time{Time: noon} }), 3, 0, "3", removing, 80},
		{"finding 2: a proxy counts as stopped a minute after its deletion timestamp", 3, 4, "3", all(until(-1), func(s *State) { s.Proxies.Pods = append(s.Proxies.Pods, Proxy{ParseRoutes("4"), deleted(59).Deleted}) }), 4, 2, "3", removing, 1},
		{"finding 2: after this minute, servers are removed", 3, 4, "3", all(until(-1), func(s *State) { s.Proxies.Pods = append(s.Proxies.Pods, Proxy{ParseRoutes("4"), deleted(60).Deleted}) }), 3, 2, "3", removing, 0},
		{"finding 3: steps of 1, and the StatefulSet is not observed", 1, 5, "5", all(steps, func(s *State) { s.Sets[First].Workload = nil }), 5, 2, "5-4-preparing", preparing, 0},
		{"the StatefulSet is not observed, and a server is being deleted: it is not counted", 2, 3, "2", func(s *State) {
			s.Sets[First].Workload, s.Sets[First].Servers[2] = nil, Server{Deleted: deleted(20).Deleted}
		}, 2, 2, "2", "", 0},
		{"finding 4: the status of an earlier rollout with the same servers", 4, 4, "3-4-warming-1795263600", func(s *State) {
			s.recorded(v1alpha1.Revision{Created: rollout.Created, Generation: 4}, -3600)
		}, 4, 2, "3-4-warming-1795263600", warmUp, 600},
		{"finding 4: the status of another Deployment of the same name", 4, 4, "3-4-warming-1795263600", func(s *State) { s.recorded(v1alpha1.Revision{Generation: 5}, -3600) }, 4, 2, "3-4-warming-1795263600", warmUp, 600},

		{"size 0: proxies stop first", 0, 3, "3", nil, 3, 0, "3", removing, 0},
		{"size 0: no proxy runs", 0, 3, "3", ended(), 3, 0, "3", removing, 10},
		{"size 0: servers are removed", 0, 3, "3", all(ended(), func(s *State) {
			s.recordedPhase(removing, 3, 0)
			s.Status.Proxy.Resize.Until = &metav1.Time{Time: noon}
		}), 0, 0, "3", removing, 0},
		{"size 0: the removal of servers has changed the routes, and the Deployment is not rolled out: no server starts", 0, 0, "1", all(ended(), busy), 0, 0, "1", "", 0},
		{"a new cache of size 0: no server starts", 0, 0, "", func(s *State) {
			s.Sets[First].Workload, s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy = nil, nil, nil, nil
		}, 0, 0, "1", "", 0},
		{"size 0: steps of 1 keep some servers", 0, 3, "3", steps, 3, 2, "3-2-preparing", preparing, 0},
		{"size 0 and back, before servers are removed", 3, 3, "3", ended(), 3, 2, "3", "", 0},
		{"from size 0", 2, 0, "1", ended(), 2, 2, "2", "", 0},
		{"from size 0, and a server has not been stopped", 2, 0, "1", all(ended(), func(s *State) { s.Sets[First].Servers[0] = Server{} }), 0, 0, "1", "", 0},
		{"from size 0, and a server has not been stopped: an update of annotations makes the Deployment appear not rolled out", 2, 0, "1", all(ended(), busy, func(s *State) { s.Sets[First].Servers[0] = Server{} }), 0, 0, "1", "", 0},
		{"from size 0, and a server is being deleted, and may still serve its items", 2, 0, "1", all(ended(), func(s *State) { s.Sets[First].Servers[0] = Server{Deleted: deleted(20).Deleted} }), 0, 0, "1", "", 40},
		{"from size 0, and a server counts as stopped a minute after its deletion timestamp", 2, 0, "1", all(ended(), func(s *State) { s.Sets[First].Servers[0] = Server{Deleted: deleted(60).Deleted} }), 2, 2, "2", "", 0},

		{"a step down waits for the interval", 1, 3, "3", all(steps, func(s *State) { s.Status.Scaling.LastStepTime = &metav1.Time{Time: noon} }), 3, 2, "3", "", 60},
		{"a lost status makes the interval longer", 1, 3, "3", all(steps, func(s *State) { s.Status.Scaling = nil }), 3, 2, "3", "", 60},
		{"without a warm-up, the servers change directly", 3, 4, "4", func(s *State) { s.Proxies.Warmup = 0 }, 4, 2, "3", removing, 0},
		{"the clocks of machines differ", 4, 4, "3-4-warming-1795263600", func(s *State) { s.MaxClockSkew = time.Minute }, 4, 2, "3-4-warming-1795263600", warmUp, 660},
		{"the clocks of machines differ: marks begin with a clock that is ahead", 4, 4, "3-4-preparing", func(s *State) { s.MaxClockSkew = time.Minute }, 4, 2, "3-4-warming-1795263660", warmUp, 0},
		{"the clocks of machines differ: marks end with a clock that is behind", 3, 4, "4-1795262400", func(s *State) { s.MaxClockSkew = time.Minute }, 4, 2, "4-1795262400", waiting, 60},
		{"a clock was set back", 4, 4, "3-4-warming-1795263600", until(99999), 4, 2, "3-4-warming-1795263600", warmUp, 600},

		{"a cache gets proxies: servers may have marks of former proxies", 3, 3, "", func(s *State) {
			s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy, s.Sets[First].Workload.Generation = nil, nil, nil, 2
		}, 3, 2, "3-1795263600", "", 0},
		{"a new cache", 3, 0, "", func(s *State) {
			s.Sets[First].Workload, s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy = nil, nil, nil, nil
		}, 3, 2, "3", "", 0},
		{"the Deployment was deleted during a warm-up, and status has its routes", 4, 4, "3-4-warming-1795263600", func(s *State) { s.Proxies.Deployment = nil }, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"the Deployment was deleted during a warm-up, and no proxy runs: status has its routes", 4, 4, "3-4-warming-1795263600", func(s *State) {
			s.Proxies.Deployment, s.Proxies.Pods = nil, nil
		}, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"the Deployment was deleted during a warm-up, and status is lost: the proxies that still run have its routes", 4, 4, "3-4-warming-1795263600", func(s *State) {
			s.Proxies.Deployment, s.Status.Proxy = nil, nil
		}, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"an edit has interrupted the warm-up until marks almost end", 4, 4, "3-4-warming-1795262500", nil, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"the label was edited during a warm-up, and status has the routes", 4, 4, "3-4-warming-1795263600", func(s *State) { s.Proxies.Deployment.Routes = Routes{} }, 4, 2, "3-4-warming-1795263600", warmUp, 0},
		{"spec has no proxies any more, and they still run", 3, 4, "4", func(s *State) { s.Proxies.Desired = false }, 4, 0, "4", removing, 0},
		{"spec has no proxies any more, and their Deployment is deleted, but a proxy still runs", 3, 4, "4", func(s *State) {
			s.Proxies.Desired, s.Proxies.Deployment, s.Proxies.Pods = false, nil, s.Proxies.Pods[:1]
			s.Status.Proxy.Observed = v1alpha1.Revision{}
			s.recordedPhase(removing, 4, 3)
			s.Status.Proxy.Resize.Until = &metav1.Time{Time: noon}
		}, 4, 0, "4", removing, 0},
		{"spec and status have no proxies any more, but a proxy still runs", 3, 4, "4", func(s *State) {
			s.Proxies.Desired, s.Proxies.Deployment, s.Status.Proxy = false, nil, nil
		}, 4, 0, "4", removing, 0},
		{"spec has no proxies any more, and they have stopped", 3, 4, "4", func(s *State) {
			s.Proxies = Proxies{}
			s.Status.Proxy.Observed = v1alpha1.Revision{}
			s.recordedPhase(removing, 4, 3)
			s.Status.Proxy.Resize.Until = &metav1.Time{Time: noon}
		}, 3, 0, "0", "", 0},
	}
	for _, test := range cases {
		s := cache(test.size, test.servers, test.label)
		if test.change != nil {
			test.change(s)
		}
		got := s.Next()
		var phase v1alpha1.ResizePhase
		if got.Proxy != nil && got.Proxy.Resize != nil {
			phase = got.Proxy.Resize.Phase
		}
		if got.Sets[First].Replicas != test.wantServers || got.Proxies != test.wantProxies || got.Routes.String() != test.wantLabel || phase != test.wantPhase ||
			got.Wait != time.Duration(test.wantWait)*time.Second {
			t.Errorf("%s:\n got %d servers, %d proxies with routes %s, phase %q, wait %s\nwant %d servers, %d proxies with routes %s, phase %q, wait %ds", test.reason,
				got.Sets[First].Replicas, got.Proxies, got.Routes, phase, got.Wait, test.wantServers, test.wantProxies, test.wantLabel, test.wantPhase, test.wantWait)
		}
	}
}

// TestInterruptedWarmUp checks that a warm-up ends at the recorded time if a proxy is replaced meanwhile.
func TestInterruptedWarmUp(t *testing.T) {
	s := cache(4, 4, "3-4-warming-1795263600")
	s.recorded(rollout, 100)
	busy(s)
	want := noon.Add(100 * time.Second)
	if got := s.Next().Proxy.Resize; got == nil || got.Until == nil || !got.Until.Time.Equal(want) {
		t.Errorf("the phase is %+v, want one until %s", got, want)
	}
}

// TestStopRecordsItsStep checks that a cache with steps has no servers in the record once they are removed.
func TestStopRecordsItsStep(t *testing.T) {
	s := cache(0, 3, "3")
	steps(s)
	ended()(s)
	if got := s.Next().Scaling; got == nil || got.Replicas != 0 {
		t.Errorf("the recorded step is %+v, want 0 replicas", got)
	}
}
