package memcached

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/observed"
)

// notReadySince sets the condition Ready to False since so many seconds before noon.
func notReadySince(request *syncRequest, seconds int) {
	request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: *ago(seconds)}}
}

// TestConditionsOfProxies checks that the conditions are those of the servers and the proxies together.
func TestConditionsOfProxies(t *testing.T) {
	const remedy = "restore the previous spec"
	deployment := func(o *syncRequest) *observed.Workload { return o.Children.Deployments.Get("web", "cache-proxy") }
	exceeded := func(o *syncRequest) {
		deployment(o).Status.AvailableReplicas = 1
		deployment(o).Status.Conditions = []observed.WorkloadCondition{{Type: "ReplicaFailure", Status: corev1.ConditionTrue, Message: "exceeded quota: pods"}}
	}
	cases := []struct {
		reason                     string
		size                       int32
		label                      string
		change                     func(*syncRequest)
		available, ready, degraded string
		message                    string // a part of Degraded, or of Progressing if nothing is wrong
	}{
		{"all is well", 3, "0-2", func(*syncRequest) {}, "ReplicaReady", "AllReplicasReady", "AsExpected", ""},
		{"no proxy is ready", 3, "0-2", func(o *syncRequest) {
			deployment(o).Status.ReadyReplicas, deployment(o).Status.AvailableReplicas = 0, 0
			notReady(o, "cache-proxy")
		}, "NoProxyReady", "RollingOut", "AsExpected", ""},
		{"a proxy is not ready", 3, "0-2", func(o *syncRequest) {
			deployment(o).Status.ReadyReplicas, deployment(o).Status.AvailableReplicas = 1, 1
		}, "ReplicaReady", "RollingOut", "AsExpected", ""},
		{"only a server is ready that clients do not reach", 1, "0-0_1-1_warming", func(o *syncRequest) { notReady(o, "cache-1") }, "NoReplicaReady", "Moving", "AsExpected", ""},
		{"the only server is being deleted, and holds", 1, "0-0", func(o *syncRequest) {
			o.Related.Pods = composite.GroupOf(append(holding(all(o.Related.Pods))[1:], terminating(holding(all(o.Related.Pods))[0]))...)
		}, "ReplicaReady", "Moving", "AsExpected", "moving items from server 0 to a spare"},
		{"the only server is being deleted, and has stopped", 1, "0-0", func(o *syncRequest) {
			o.Related.Pods = composite.GroupOf(append(all(o.Related.Pods)[1:], terminating(all(o.Related.Pods)[0]))...)
		}, "NoReplicaReady", "RollingOut", "AsExpected", ""},
		{"a spare has replaced a server whose node does not respond", 3, "0-2.1", replaced("cache-1"), "ReplicaReady", "AllReplicasReady", "AsExpected", ""},
		{"so does not that of the first spare either", 3, "0-2.1-1", replaced("cache-1", "cache-3"), "ReplicaReady", "AllReplicasReady", "AsExpected", ""},
		{"the image of a proxy has no proxy", 3, "0-2", func(o *syncRequest) {
			o.Related.Pods.Get("web", "cache-proxy-1").Status.ContainerStatuses = []observed.ContainerStatus{{Name: proxy.ContainerName,
				State:     observed.ContainerState{Waiting: &observed.ContainerWaiting{Reason: "CrashLoopBackOff"}},
				LastState: observed.ContainerState{Terminated: &observed.ContainerTerminated{ExitCode: 1}}}}
		}, "ReplicaReady", "CrashLoopBackOff", "CrashLoopBackOff", "1.6.40 or later"},
		{"for two minutes, another Memcached has had the name of the proxies", 3, "0-2", func(o *syncRequest) {
			remove(&o.Children.Deployments, "cache-proxy")
			remove(&o.Related.Pods, "cache-proxy")
			notReadySince(o, 120)
		}, "NoProxyReady", "DeploymentMissing", "DeploymentMissing", ""},
		{"a former parent left the proxies behind", 3, "0-2", func(o *syncRequest) {
			remove(&o.Children.Deployments, "cache-proxy")
			notReadySince(o, 120)
		}, "ReplicaReady", "Orphaned", "Orphaned",
			"kubectl label --overwrite -n web deployment/cache-proxy service/cache-proxy poddisruptionbudget/cache-proxy networkpolicy/cache-proxy controller-uid="},
		{"there is no Deployment", 3, "0-2", func(o *syncRequest) { remove(&o.Children.Deployments, "cache-proxy") }, "ReplicaReady", "DeploymentMissing", "AsExpected", ""},
		{"there is no Service", 3, "0-2", func(o *syncRequest) { remove(&o.Children.Services, "cache-proxy") }, "ReplicaReady", "ServiceMissing", "AsExpected", ""},
		{"there is no PodDisruptionBudget", 3, "0-2", func(o *syncRequest) { remove(&o.Children.PodDisruptionBudgets, "cache-proxy") }, "ReplicaReady", "PodDisruptionBudgetMissing", "AsExpected", ""},
		{"there is no NetworkPolicy", 3, "0-2", func(o *syncRequest) { remove(&o.Children.NetworkPolicies, "cache-proxy") }, "ReplicaReady", "NetworkPolicyMissing", "AsExpected", ""},
		{"a move", 4, "0-2_0-3_warming", func(*syncRequest) {}, "ReplicaReady", "Moving", "AsExpected", "Phase WarmingUp"},
		{"a move waits for a proxy whose node is lost", 4, "0-2_0-3_warming", func(o *syncRequest) {
			pod := readyPod("cache-proxy-old", proxy.PodLabels(o.Parent, moves.ParseRoutes("0-2_0-3_preparing")))
			pod.DeletionTimestamp = ago(3600)
			insert(&o.Related.Pods, pod)
		}, "ReplicaReady", "Moving", "AsExpected", "is waiting for pod cache-proxy-old"},
		{"the proxies of a new pod template exceed a quota", 3, "0-2_3-5_preparing", exceeded, "ReplicaReady", "ReplicaFailure", "ReplicaFailure", "exceeded quota: pods. If the cluster has no resources for the new pods, " + remedy},
		{"the nodes have no room for the servers of a new pod template", 3, "0-2_3-5_announcing", func(o *syncRequest) {
			o.Related.Pods.Get("web", "cache-4").Status.Conditions = observed.PodConditions{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "3 Insufficient memory."}}
		}, "ReplicaReady", "Unschedulable", "Unschedulable", remedy},
	}
	for _, test := range cases {
		request := proxied(t, test.size, test.label)
		test.change(&request)
		got := conditionsOf(t, proxyConfig, request)
		if got[api.Available].Reason != test.available || got[api.Ready].Reason != test.ready || got[api.Degraded].Reason != test.degraded {
			t.Errorf("%s: Available is %s, Ready %s and Degraded %s, want %s, %s and %s: %s", test.reason, got[api.Available].Reason, got[api.Ready].Reason, got[api.Degraded].Reason,
				test.available, test.ready, test.degraded, got[api.Ready].Message)
		}
		kind := api.Progressing
		if test.degraded != "AsExpected" {
			kind = api.Degraded
		}
		if !strings.Contains(got[kind].Message, test.message) {
			t.Errorf("%s: %s has the message %q, want %q", test.reason, kind, got[kind].Message, test.message)
		}
	}
}

// replaced lets nodes of pods not respond that others have replaced, and the rest of three servers be ready.
func replaced(names ...string) func(*syncRequest) {
	return func(o *syncRequest) {
		pods := all(o.Related.Pods)
		for i, pod := range pods {
			if slices.Contains(names, pod.Name) {
				pods[i] = terminating(pod)
				pods[i].Status.Conditions = observed.PodConditions{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
			}
		}
		o.Related.Pods = composite.GroupOf(pods...)
		o.Parent.Spec.PodDisruptionBudget.Enabled = new(false) // the one of the fixture is for a drain
		for set := range o.Children.StatefulSets.All() {
			set.Status.Replicas = 3 + int32(len(names))
			set.Status.UpdatedReplicas, set.Status.ReadyReplicas, set.Status.AvailableReplicas = 3, 3, 3
		}
	}
}

// TestServersThatStartLate checks that the first server that is ready after more than a minute is no problem of the proxies, although their
// Deployment still has the strategy of a cache without servers.
func TestServersThatStartLate(t *testing.T) {
	request := proxied(t, 3, "0-2")
	o := proxyConfig.observe(&request)
	templates, err := proxyConfig.templates(o)
	if err != nil {
		t.Fatal(err)
	}
	decision := proxyConfig.facts(o, templates).Decide()
	decision.Unreached = true
	before := applied(proxyConfig.build(o, templates, decision).all()).Deployments.Get("web", "cache-proxy")
	deployment := request.Children.Deployments.Get("web", "cache-proxy")
	before.CreationTimestamp, before.Status = deployment.CreationTimestamp, deployment.Status
	before.Annotations["deployment.kubernetes.io/revision"] = "7"
	*deployment = *before
	request.Parent.Status.Conditions = []metav1.Condition{{Type: api.Ready, Status: metav1.ConditionFalse, LastTransitionTime: *ago(3600)}}
	request.Related.Pods.Get("web", "cache-0").Status.Conditions[0].LastTransitionTime = noon.Time
	got := conditionsOf(t, proxyConfig, request)
	if got[api.Stalled].Status == metav1.ConditionTrue || got[api.Degraded].Status != metav1.ConditionFalse || got[api.Ready].Reason != "DeploymentOutdated" {
		t.Errorf("Stalled is %+v, Degraded %+v and Ready %+v, want a Deployment that is applied in a moment", got[api.Stalled], got[api.Degraded], got[api.Ready])
	}
}

// TestAddressOfProxies checks that clients find only the Service of their own cache: Metacontroller sends no other one.
func TestAddressOfProxies(t *testing.T) {
	for reason, test := range map[string]struct {
		spec, want string
		exists     bool
	}{
		"the Service exists":                              {"", "cache-proxy.web.svc.cluster.local:11211", true},
		"the Service does not exist, or is another one's": {"", "", false},
		"the spec is invalid":                             {"invalid", "cache-proxy.web.svc.cluster.local:11211", true},
		"the spec is invalid, and there is no Service":    {"invalid", "", false},
	} {
		request := proxied(t, 3, "0-2")
		request.Parent.Status.Proxy.Address = "cache-proxy.web.svc.cluster.local:11211"
		if !test.exists {
			remove(&request.Children.Services, "cache-proxy")
		}
		if test.spec == "invalid" {
			request.Parent.Spec.Cache.MaxConnections = new(int64(0))
		}
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Status.Proxy.Address; got != test.want {
			t.Errorf("%s: the address is %q, want %q", reason, got, test.want)
		}
	}
}

// TestRiskOfAJob checks that a Job that does not help is a risk, since the cache serves, and that the next sync follows when it becomes one.
func TestRiskOfAJob(t *testing.T) {
	started := func(seconds int) func(*syncRequest) {
		return func(o *syncRequest) { o.Children.Jobs.Get("web", "cache-move").Status.StartTime = ago(seconds).Time }
	}
	refused := func(o *syncRequest) { o.Children.Jobs = composite.GroupOf[observed.Job]() }
	fails := func(o *syncRequest) {
		o.Children.Jobs.Get("web", "cache-move").Status.Conditions = []observed.WorkloadCondition{{Type: string(batchv1.JobFailed), Status: corev1.ConditionTrue}}
	}
	cases := []struct {
		reason      string
		size        int32
		label       string
		change      func(*syncRequest)
		want        string // a part of the reason and message
		resyncAfter time.Duration
	}{
		{"its pods have 15 seconds left to start", 4, "0-2_0-3_warming", started(45), "", 15 * time.Second},
		{"its pods have not started for a minute", 4, "0-2_0-3_warming", started(60), "JobNotStarted: No pod", time.Minute},
		{"it has just been desired, long after the phase of the proxies has begun", 4, "0-2_0-3_warming", refused, "", time.Minute},
		{"the API server refuses it while the proxies have announced a decrease", 2, "0-2_0-1_announcing", refused, "JobNotStarted: Job cache-move is still missing", 0},
		{"it fails in a warm-up", 4, "0-2_0-3_warming", fails, "JobFailed: Job cache-move has failed", time.Minute},
		{"it fails before a decrease", 2, "0-2_0-1_announcing", fails, "set spec.proxy.warmup.enabled to false", 0},
	}
	for _, test := range cases {
		request := proxied(t, test.size, test.label)
		test.change(&request)
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		risk := meta.FindStatusCondition(response.Status.Conditions, api.AtRisk)
		if test.want == "" && risk != nil || test.want != "" && (risk == nil || !strings.Contains(risk.Reason+": "+risk.Message, test.want)) {
			t.Errorf("%s: AtRisk is %+v, want %q", test.reason, risk, test.want)
		}
		if response.ResyncAfter != test.resyncAfter {
			t.Errorf("%s: the next sync follows after %s, want %s", test.reason, response.ResyncAfter, test.resyncAfter)
		}
		if meta.IsStatusConditionTrue(response.Status.Conditions, api.Degraded) || !meta.IsStatusConditionTrue(response.Status.Conditions, api.Available) {
			t.Errorf("%s: the cache serves, and the conditions are %+v", test.reason, response.Status.Conditions)
		}
	}
}

// TestLastChange checks that syncs that observe the status before the last write record the same time: otherwise each write has another one.
func TestLastChange(t *testing.T) {
	cases := []struct {
		reason string
		edit   func(*syncRequest)
		want   metav1.Time
	}{
		{"nothing changes", func(*syncRequest) {}, *ago(3600)},
		{"the routes change", func(o *syncRequest) { o.Parent.Spec.Size = new(int32(4)) }, noon},
		{"the number of servers changes", func(o *syncRequest) {
			o.Parent.Status.Servers = children.ServerNames(o.Parent, DefaultClusterDomain, moves.Range{Count: 4}.List())
		}, noon},
		{"status is lost", func(o *syncRequest) { o.Parent.Status.Proxy = nil }, noon},
		{"a clock was set back", func(o *syncRequest) { o.Parent.Status.Proxy.LastChangeTime = ago(-60) }, noon},
	}
	for _, test := range cases {
		for _, delay := range []time.Duration{0, 9 * time.Second} {
			request := proxied(t, 3, "0-2")
			test.edit(&request)
			request.Now = metav1.NewTime(noon.Add(delay))
			response, err := proxyConfig.sync(request)
			if err != nil {
				t.Fatal(err)
			}
			if got := response.Status.Proxy.LastChangeTime; !got.Equal(&test.want) {
				t.Errorf("%s: after %s, the last change is at %v, want %v", test.reason, delay, got, test.want)
			}
		}
	}
}
