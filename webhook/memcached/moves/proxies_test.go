package moves

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestDecide(t *testing.T) {
	deleted := func(secondsAgo int) Pod {
		return Pod{GraceEnds: new(noon.Add(-time.Duration(secondsAgo) * time.Second))}
	}
	routed := func(labels ...string) func(*Facts) {
		return func(s *Facts) {
			for i, label := range labels {
				s.Proxies.Pods[i].Routes = ParseRoutes(label)
			}
		}
	}
	cases := []struct {
		reason        string
		size, servers int32
		label         string
		change        func(*Facts)

		wantServers, wantProxies int32
		wantLabel                string
		wantPhase                v1alpha1.MovePhase
		wantWait                 int // seconds
	}{
		{"nothing to do", 3, 3, "0-2", nil, 3, 2, "0-2", "", 0},
		{"up: the proxies expect the change first, because servers that no routes have would be removed", 4, 3, "0-2", nil, 3, 2, "0-2_0-3_announcing", adding, 0},
		{"up: servers are added during this rollout", 4, 3, "0-2_0-3_announcing", all(busy, routed("0-2")), 4, 2, "0-2_0-3_announcing", adding, 0},
		{"up: the new server has not started", 4, 4, "0-2_0-3_announcing", func(s *Facts) { s.Servers[3] = Server{} }, 4, 2, "0-2_0-3_announcing", adding, 0},
		{"up: the new server is ready, and a proxy is not replaced", 4, 4, "0-2_0-3_announcing", all(busy, routed("0-2")), 4, 2, "0-2_0-3_announcing", adding, 0},
		{"up: servers and proxies are ready", 4, 4, "0-2_0-3_announcing", nil, 4, 2, "0-2_0-3_preparing", preparing, 0},
		{"up: a server of the same name may have old items", 4, 4, "0-2", nil, 3, 2, "0-2", removing, 0},
		{"up: a removed server still stops", 4, 3, "0-2", func(s *Facts) { s.Servers[3] = Server{} }, 3, 2, "0-2", waiting, 0},
		{"up: a removed server is being deleted, and may still serve", 4, 3, "0-2", func(s *Facts) { s.Servers[3] = Server{Pod: deleted(-20), State: ServerEnding} }, 3, 2, "0-2", waiting, 20},
		{"up: a removed server does not end: it may serve on, so another ordinal has its slot", 4, 3, "0-2", func(s *Facts) { s.Servers[3] = Server{Pod: deleted(9999), State: ServerStuck} }, 3, 2, "0-2_0-3.3_announcing", adding, 0},
		{"up: the proxies are not prepared", 4, 4, "0-2_0-3_preparing", busy, 4, 2, "0-2_0-3_preparing", preparing, 0},
		{"up: the proxies are prepared, but the new server has failed", 4, 4, "0-2_0-3_preparing", func(s *Facts) { s.Servers[3] = Server{} }, 4, 2, "0-2_0-3_preparing", preparing, 0},
		{"up: the proxies are prepared", 4, 4, "0-2_0-3_preparing", nil, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"up: the warm-up begins", 4, 4, "0-2_0-3_warming", nil, 4, 2, "0-2_0-3_warming", warmUp, 600},
		{"up: the warm-up goes on", 4, 4, "0-2_0-3_warming", until(1), 4, 2, "0-2_0-3_warming", warmUp, 1},
		{"up: the warm-up began with its Job, and status is lost", 4, 4, "0-2_0-3_warming", all(cleans, created(60)), 4, 2, "0-2_0-3_warming", warmUp, 540},
		{"up: spec had 5 minutes when its Job was created, whose deadline stays", 4, 4, "0-2_0-3_warming", all(cleans, created(60), func(s *Facts) { s.Job.Warmup = 5 * time.Minute }), 4, 2, "0-2_0-3_warming", warmUp, 240},
		{"up: the Job was created by a clock that is ahead", 4, 4, "0-2_0-3_warming", all(cleans, created(-60)), 4, 2, "0-2_0-3_warming", warmUp, 600},
		{"up: the Job has copied all items", 4, 4, "0-2_0-3_warming", all(cleans, created(0), complete), 4, 2, "0-2_0-3_closing", closing, 0},
		{"up: the Job has failed", 4, 4, "0-2_0-3_warming", all(cleans, created(0), func(s *Facts) { s.Job.Failed = true }), 4, 2, "0-2_0-3_warming", warmUp, 600},
		{"up: the warm-up ends", 4, 4, "0-2_0-3_warming", until(-1), 4, 2, "0-2_0-3_closing", closing, 0},
		{"up: the end of the warm-up is decided, and the Deployment was not updated", 4, 4, "0-2_0-3_warming", decided("0-2_0-3_closing"), 4, 2, "0-2_0-3_closing", closing, 0},
		{"up: the warm-up has ended, but a proxy is not available", 4, 4, "0-2_0-3_warming", all(until(-1), busy), 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"up: the change is closed", 4, 4, "0-2_0-3_closing", nil, 4, 2, "0-3", "", 0},
		{"down after an increase: nothing to wait for", 3, 4, "0-3", nil, 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: no Job can run", 3, 4, "0-3_0-2_announcing", nil, 4, 2, "0-3_0-2_preparing", preparing, 0},
		{"down: a Job has to clean the servers that stay", 3, 4, "0-3_0-2_announcing", cleans, 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: the Job is complete, and a proxy is not replaced", 3, 4, "0-3_0-2_announcing", all(cleans, complete, busy, routed("0-3")), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: the Job is complete", 3, 4, "0-3_0-2_announcing", all(cleans, complete), 4, 2, "0-3_0-2_preparing", preparing, 0},
		{"down: the Job of an earlier change is complete", 3, 4, "0-3_0-2_announcing", all(cleans, complete, func(s *Facts) { s.Proxies.Deployment.Number++ }), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: the Job has failed", 3, 4, "0-3_0-2_announcing", all(cleans, func(s *Facts) { s.Job.Complete, s.Job.Failed = false, true }), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: no Job is to run any more, and it still does", 3, 4, "0-3_0-2_announcing", all(cleans, func(s *Facts) { s.CanRunJob = false }), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down: spec gives up the warm-up", 3, 4, "0-3_0-2_announcing", func(s *Facts) { s.Proxies.Warmup = 0 }, 4, 2, "0-2", removing, 0},
		{"down: the change is closed", 3, 4, "0-3_0-2_closing", nil, 4, 2, "0-2", removing, 0},
		{"down: servers are removed", 3, 4, "0-2", nil, 3, 2, "0-2", removing, 0},
		{"down: the observation of the proxies may be one of before their rollout", 3, 4, "0-2", unobserved, 4, 2, "0-2", removing, 10},
		{"down: a former proxy may start again until the rollout has ended", 3, 4, "0-2", busy, 4, 2, "0-2", removing, 10},
		{"down: a proxy is missing for longer", 3, 4, "0-2", all(unobserved, until(-1)), 3, 2, "0-2", removing, 0},
		{"down: a former proxy runs", 3, 4, "0-2", all(until(-1), routed("0-3")), 4, 2, "0-2", removing, 0},
		{"down, then back while the proxies expect the change: those of before stay", 4, 4, "0-3_0-2_announcing", all(busy, routed("0-3")), 4, 2, "0-3", "", 0},
		{"down, then back: the last proxy may have been a preparing one", 4, 4, "0-3_0-2_announcing", nil, 4, 2, "0-3_0-2_announcing", cleaning, 10},
		{"down, then back: the Job of the decrease is older than the wait", 4, 4, "0-3_0-2_announcing", all(cleans, created(60)), 4, 2, "0-3_0-2_announcing", cleaning, 10},
		{"down, then back: what it wrote has expired", 4, 4, "0-3_0-2_announcing", until(-1), 4, 2, "0-3", "", 0},
		{"down, then back while the proxies prepare", 4, 4, "0-3_0-2_preparing", nil, 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down, then back while some proxies prepare: the others stay", 4, 4, "0-3_0-2_preparing", all(busy, routed("0-3_0-2_announcing")), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down, then back, and a proxy still prepares", 4, 4, "0-3_0-2_announcing", all(until(-1), routed("0-3_0-2_preparing")), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"down, then back, but a proxy moves items", 4, 4, "0-3_0-2_preparing", routed("0-3_0-2_warming"), 4, 2, "0-3_0-2_preparing", preparing, 0},
		{"down, then back during the warm-up: the change ends first", 4, 4, "0-3_0-2_warming", until(100), 4, 2, "0-3_0-2_warming", warmUp, 100},
		{"up, then back while new servers start", 3, 4, "0-2_0-3_announcing", all(busy, routed("0-2")), 4, 2, "0-2", removing, 0},
		{"up, then back while the proxies prepare", 3, 4, "0-2_0-3_preparing", nil, 4, 2, "0-2_0-3_announcing", adding, 0},

		{"size 0, and a proxy still stops: the others do not start again", 0, 3, "0-2", all(steps, ended(ProxyPod{Pod: deleted(-20), Routes: ParseRoutes("0-2")}), func(s *Facts) { s.Status.Scaling.LastStepTime = &metav1.Time{Time: noon} }), 3, 0, "0-2", removing, 20},
		{"a proxy of earlier routes does not end: it may use the fourth server, which stays", 3, 4, "0-2", all(until(-1), func(s *Facts) {
			s.Proxies.Pods = append(s.Proxies.Pods, ProxyPod{deleted(9999), ParseRoutes("0-3")})
		}), 4, 2, "0-2", removing, 0},
		{"steps of 1, and the StatefulSet is not observed", 1, 5, "0-4", all(steps, func(s *Facts) { s.Workload = nil }), 5, 2, "0-4", waiting, 0},
		{"the StatefulSet is not observed, and a server is being deleted: it is not counted", 2, 3, "0-1", func(s *Facts) {
			s.Workload, s.Servers[2] = nil, Server{Pod: deleted(20), State: ServerEnding}
		}, 2, 2, "0-1", waiting, 40},
		{"the warm-up is switched off while a Job that cleans has failed: the Job goes", 3, 4, "0-3_0-2_announcing", all(cold, cleans, func(s *Facts) { s.Job.Failed = true }), 4, 2, "0-3_0-2_announcing", cleaning, 0},
		{"then the decrease begins", 3, 4, "0-3_0-2_announcing", all(cold, func(s *Facts) { s.CanRunJob = true }), 4, 2, "0-2", removing, 0},
		{"the status of an earlier rollout with the same servers", 4, 4, "0-2_0-3_warming", func(s *Facts) {
			s.recorded(v1alpha1.Revision{Created: rollout.Created, Number: 4}, -3600)
		}, 4, 2, "0-2_0-3_warming", warmUp, 600},
		{"the status of another Deployment of the same name", 4, 4, "0-2_0-3_warming", func(s *Facts) { s.recorded(v1alpha1.Revision{Number: 5}, -3600) }, 4, 2, "0-2_0-3_warming", warmUp, 600},

		{"the first proxies wait for one that the Deployment of a deleted Memcached has started in the same second", 2, 2, "0-1", ended(ProxyPod{Routes: ParseRoutes("0-2_0-0_announcing")}), 3, 0, "0-1", waiting, 0},
		{"size 0: proxies stop first", 0, 3, "0-2", nil, 3, 0, "0-2", removing, 0},
		{"size 0: no proxy runs", 0, 3, "0-2", ended(), 3, 0, "0-2", removing, 10},
		{"size 0 in a warm-up, and no proxy runs: the Job is older than the wait", 0, 4, "0-2_0-3_warming", all(cleans, created(60), ended()), 4, 0, "0-3", removing, 10},
		{"size 0: servers are removed", 0, 3, "0-2", all(ended(), func(s *Facts) {
			s.recordedRemoval(3, 0)
			s.Status.Proxy.Move.Until = &metav1.Time{Time: noon}
		}), 0, 0, "0-2", removing, 0},
		{"size 0: the removal of servers has changed the routes, and the Deployment is not rolled out: no server starts", 0, 0, "0-0", all(ended(), busy), 0, 0, "0-0", "", 0},
		{"a new cache of size 0: no server starts", 0, 0, "", func(s *Facts) {
			s.Workload, s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy = nil, nil, nil, nil
		}, 0, 0, "0-0", "", 0},
		{"size 0: steps of 1 keep some servers", 0, 3, "0-2", steps, 3, 2, "0-2_0-1_announcing", cleaning, 0},
		{"size 0 and back, before servers are removed", 3, 3, "0-2", ended(), 3, 2, "0-2", "", 0},
		{"from size 0", 2, 0, "0-0", ended(), 2, 2, "0-1", "", 0},
		{"from size 0, and a server has not been stopped", 2, 0, "0-0", all(ended(), func(s *Facts) { s.Servers[0] = Server{} }), 0, 0, "0-0", "", 0},
		{"from size 0, and a server has not been stopped: an update of annotations makes the Deployment appear not rolled out", 2, 0, "0-0", all(ended(), busy, func(s *Facts) { s.Servers[0] = Server{} }), 0, 0, "0-0", "", 0},
		{"from size 0, and a server is being deleted, and may still serve its items", 2, 0, "0-0", all(ended(), func(s *Facts) { s.Servers[0] = Server{Pod: deleted(-20), State: ServerEnding} }), 0, 0, "0-0", "", 20},
		{"from size 0, and a Job of before would delete new items", 2, 0, "0-0", all(ended(), func(s *Facts) { s.Job = &ObservedJob{} }), 0, 0, "0-0", "", 0},
		{"a new cache, and a Job of before would delete its items", 2, 0, "0-0", all(ended(), func(s *Facts) { s.Job, s.Workload = &ObservedJob{}, nil }), 0, 0, "0-0", "", 0},

		{"a step down waits for the interval", 1, 3, "0-2", all(steps, func(s *Facts) { s.Status.Scaling.LastStepTime = &metav1.Time{Time: noon} }), 3, 2, "0-2", "", 60},
		{"a lost status makes the interval longer", 1, 3, "0-2", all(steps, func(s *Facts) { s.Status.Scaling = nil }), 3, 2, "0-2", "", 60},
		{"without a warm-up, the servers change directly", 3, 4, "0-3", func(s *Facts) { s.Proxies.Warmup = 0 }, 4, 2, "0-2", removing, 0},
		{"without a warm-up, new servers start first", 4, 4, "0-2_0-3_announcing", func(s *Facts) { s.Proxies.Warmup = 0 }, 4, 2, "0-3", "", 0},
		{"a clock was set back", 4, 4, "0-2_0-3_warming", until(99999), 4, 2, "0-2_0-3_warming", warmUp, 600},

		{"a cache gets proxies, and another size: its servers may have items", 4, 3, "", func(s *Facts) {
			s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy = nil, nil, nil
		}, 3, 2, "0-2", "", 0},
		{"a new cache", 3, 0, "", func(s *Facts) {
			s.Workload, s.Proxies.Deployment, s.Proxies.Pods, s.Status.Proxy = nil, nil, nil, nil
		}, 3, 2, "0-2", "", 0},
		{"the Deployment was deleted during a warm-up, and status has its routes", 4, 4, "0-2_0-3_warming", func(s *Facts) { s.Proxies.Deployment = nil }, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"the Deployment was deleted during a warm-up, and no proxy runs: status has its routes", 4, 4, "0-2_0-3_warming", func(s *Facts) {
			s.Proxies.Deployment, s.Proxies.Pods = nil, nil
		}, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"the Deployment was deleted during a warm-up, and status is lost: the proxies that still run have its routes", 4, 4, "0-2_0-3_warming", func(s *Facts) {
			s.Proxies.Deployment, s.Status.Proxy = nil, nil
		}, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"the Deployment was deleted while the proxies prepared: one that moved items may have stopped first", 4, 4, "0-2_0-3_preparing", func(s *Facts) {
			s.Proxies.Deployment, s.Status.Proxy = nil, nil
		}, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"the label was edited during a warm-up, and status has the routes", 4, 4, "0-2_0-3_warming", func(s *Facts) { s.Proxies.Deployment.Routes = Routes{} }, 4, 2, "0-2_0-3_warming", warmUp, 0},
		{"spec has no proxies any more, and they still run", 3, 4, "0-3", func(s *Facts) { s.Proxies.Desired = false }, 4, 0, "0-3", removing, 0},
		{"spec has no proxies any more, and their Deployment is deleted, but a proxy still runs", 3, 4, "0-3", func(s *Facts) {
			s.Proxies.Desired, s.Proxies.Deployment, s.Proxies.Pods = false, nil, s.Proxies.Pods[:1]
			s.Status.Proxy.LastDecision.Observed = v1alpha1.Revision{}
			s.recordedRemoval(4, 3)
			s.Status.Proxy.Move.Until = &metav1.Time{Time: noon}
		}, 4, 0, "0-3", removing, 0},
		{"spec and status have no proxies any more, but a proxy still runs", 3, 4, "0-3", func(s *Facts) {
			s.Proxies.Desired, s.Proxies.Deployment, s.Status.Proxy = false, nil, nil
		}, 4, 0, "0-3", removing, 0},
		{"spec has no proxies any more, and they have stopped", 3, 4, "0-3", func(s *Facts) {
			s.Proxies = Proxies{}
			s.Status.Proxy.LastDecision.Observed = v1alpha1.Revision{}
			s.recordedRemoval(4, 3)
			s.Status.Proxy.Move.Until = &metav1.Time{Time: noon}
		}, 3, 0, "", "", 0},
		{"spec has a Deployment and no proxies any more, and nothing runs: all servers start", 2, 0, "3-5", func(s *Facts) {
			s.Proxies, s.Workload, s.Servers, s.RecordedOrdinals = Proxies{}, nil, nil, Range{3, 3}
			s.Status.Proxy.LastDecision.Observed = v1alpha1.Revision{}
			s.recordedRemoval(3, 2)
			s.Status.Proxy.Move.Until = &metav1.Time{Time: noon}
		}, 2, 0, "", "", 0},
	}
	for _, test := range cases {
		s := factsOf(test.size, test.servers, test.label)
		if test.change != nil {
			test.change(s)
		}
		got := s.Decide()
		var phase v1alpha1.MovePhase
		if got.ProxyStatus != nil && got.ProxyStatus.Move != nil {
			phase = got.ProxyStatus.Move.Phase
		}
		if got.Ordinals.Count != test.wantServers || got.ProxyReplicas != test.wantProxies || got.Routes.String() != test.wantLabel || phase != test.wantPhase ||
			got.Wait != time.Duration(test.wantWait)*time.Second {
			t.Errorf("%s:\n got %d servers, %d proxies with routes %s, phase %q, wait %s\nwant %d servers, %d proxies with routes %s, phase %q, wait %ds", test.reason,
				got.Ordinals.Count, got.ProxyReplicas, got.Routes, phase, got.Wait, test.wantServers, test.wantProxies, test.wantLabel, test.wantPhase, test.wantWait)
		}
	}
}

// TestInterruptedWarmUp checks that a warm-up ends at the recorded time if a proxy is replaced meanwhile.
func TestInterruptedWarmUp(t *testing.T) {
	s := factsOf(4, 4, "0-2_0-3_warming")
	s.recorded(rollout, 100)
	busy(s)
	want := noon.Add(100 * time.Second)
	if got := s.Decide().ProxyStatus.Move; got == nil || got.Until == nil || !got.Until.Time.Equal(want) {
		t.Errorf("the phase is %+v, want one until %s", got, want)
	}
}

// TestEndOfAnotherPhase checks that a move which waits does not get the end of the removal before it: its message would not say what to do.
func TestEndOfAnotherPhase(t *testing.T) {
	s := factsOf(3, 3, "0-2")
	s.recordedRemoval(4, 3)
	s.Status.Proxy.Move.Until = new(metav1.NewTime(noon))
	s.Workload.TemplateApplied = false
	busy(s)
	if got := s.Decide().ProxyStatus.Move; got == nil || got.Phase != waiting || got.Until != nil {
		t.Errorf("the phase is %+v, want one that waits without an end", got)
	}
}

// TestStopRecordsItsStep checks that a cache with steps has no servers in the record once they are removed.
func TestStopRecordsItsStep(t *testing.T) {
	s := factsOf(0, 3, "0-2")
	steps(s)
	ended()(s)
	if got := s.Decide().Scaling; got == nil || got.Replicas != 0 {
		t.Errorf("the recorded step is %+v, want 0 replicas", got)
	}
}

// TestNoJobWithoutWarmup checks that a warm-up that is switched off ends without a Job, also between two full seconds.
func TestNoJobWithoutWarmup(t *testing.T) {
	f := factsOf(3, 4, "0-2_0-3_warming")
	cold(f)
	f.CanRunJob, f.Now = true, f.Now.Add(time.Second/2)
	if d := f.Decide(); d.Job != (DesiredJob{}) {
		t.Errorf("the Job is %s, want none", d.Job)
	}
}
