package memcached

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// observedProxy returns a proxy with the routes of a label.
func observedProxy(memcached *v1alpha1.Memcached, name, routes string) *observed.Pod {
	return &observed.Pod{Meta: observed.Meta{Name: name, Namespace: "web", Labels: proxy.PodLabels(memcached, moves.ParseRoutes(routes))}}
}

// TestObservedProxies checks what counts as a proxy of this Memcached, and as a rollout that has finished.
func TestObservedProxies(t *testing.T) {
	old, deleted := moves.ParseRoutes("0-3"), noon.Add(20*time.Second)
	cases := []struct {
		reason    string
		change    func(*observed.Workload)
		pod       func(*observed.Pod) // one more; nil for none
		rolledOut bool
		extra     []moves.ProxyPod
	}{
		{"all proxies are available", nil, nil, true, nil},
		{"the Deployment controller has not observed the change", func(d *observed.Workload) { d.Generation = 9 }, nil, false, nil},
		{"a former proxy is not deleted yet", func(d *observed.Workload) { d.Status.Replicas = 3 }, nil, false, nil},
		{"a proxy is not updated", func(d *observed.Workload) { d.Status.UpdatedReplicas = 1 }, nil, false, nil},
		{"a proxy is not available", func(d *observed.Workload) { d.Status.AvailableReplicas = 1 }, nil, false, nil},
		{"the number of proxies changes", func(d *observed.Workload) { *d.Spec.Replicas = 3 }, nil, false, nil},
		{"the Deployment is deleted", func(d *observed.Workload) { d.DeletionTimestamp = &noon }, nil, false, nil},
		{"a former proxy runs", nil, func(*observed.Pod) {}, true, []moves.ProxyPod{{Pod: moves.Pod{Name: "old"}, Routes: old}}},
		{"a former proxy drains", nil, func(p *observed.Pod) { p.DeletionTimestamp = new(metav1.NewTime(deleted)) }, true, []moves.ProxyPod{{Pod: moves.Pod{Name: "old", GraceEnds: &deleted}, Routes: old}}},
		{"a former proxy has failed", nil, func(p *observed.Pod) { p.Status.Phase = corev1.PodFailed }, true, nil},
		{"the label of a proxy was edited", nil, func(p *observed.Pod) { p.Labels[proxy.RoutesLabel] = "four" }, true, []moves.ProxyPod{{Pod: moves.Pod{Name: "old"}}}},
		{"a proxy of another cache", nil, func(p *observed.Pod) { p.Labels[children.ProxyLabel] = "other" }, true, nil},
		{"a proxy of another namespace", nil, func(p *observed.Pod) { p.Namespace = "other" }, true, nil},
		{"a server", nil, func(p *observed.Pod) { p.Labels["app"] = "memcached" }, true, nil},
	}
	for _, test := range cases {
		memcached := sample.Proxied(3)
		deployment := &observed.Workload{
			Spec:   observed.WorkloadSpec{Replicas: new(int32(2))},
			Status: observed.WorkloadStatus{Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2},
		}
		if test.change != nil {
			test.change(deployment)
		}
		pods := []*observed.Pod{observedProxy(memcached, "a", "0-2"), observedProxy(memcached, "b", "0-2")}
		if test.pod != nil {
			pods = append(pods, observedProxy(memcached, "old", "0-3"))
			test.pod(pods[2])
		}
		got := observationOf(memcached, pods, func(o *observation) { o.proxyDeployment = deployment }).proxyFacts()
		if got.Deployment.RolledOut != test.rolledOut {
			t.Errorf("%s: the rollout has finished: %t", test.reason, got.Deployment.RolledOut)
		}
		want := append([]moves.ProxyPod{{Pod: moves.Pod{Name: "a"}, Routes: moves.ParseRoutes("0-2")}, {Pod: moves.Pod{Name: "b"}, Routes: moves.ParseRoutes("0-2")}}, test.extra...)
		if diff := cmp.Diff(want, got.Pods, cmpopts.EquateComparable(moves.Pool{})); diff != "" {
			t.Errorf("%s: proxies (-want +got):\n%s", test.reason, diff)
		}
	}
}

// observationOf returns an observation of pods.
func observationOf(memcached *v1alpha1.Memcached, pods []*observed.Pod, change func(*observation)) *observation {
	values := make([]observed.Pod, 0, len(pods))
	for _, pod := range pods {
		values = append(values, *pod)
	}
	request := &syncRequest{Related: relatedGroups{Pods: composite.GroupOf(values...)}}
	o := &observation{request: request, memcached: memcached, recorded: &memcached.Status}
	change(o)
	o.splitPods()
	return o
}

// TestObservedJob checks what is observed of the Job of a move.
func TestObservedJob(t *testing.T) {
	job := &observed.Job{Spec: observed.JobSpec{Completions: 3}, Status: observed.JobStatus{Succeeded: 2}}
	job.CreationTimestamp, job.Annotations = noon.Time, map[string]string{proxy.JobForAnnotation: "0-2_0-3_warming 5"}
	want := &moves.ObservedJob{For: moves.DesiredJob{Routes: moves.ParseRoutes("0-2_0-3_warming"), Rollout: "5"}, Created: noon.Time, Servers: 3, Done: 2}
	check := func(reason string) {
		t.Helper()
		if diff := cmp.Diff(want, jobFacts(job), cmpopts.EquateComparable(moves.Pool{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
	check("the Job runs")
	for _, condition := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = []observed.WorkloadCondition{{Type: string(condition), Status: corev1.ConditionTrue}}
		want.Failed = true
		check("the Job has failed, and a pod that it has deleted does not end: " + string(condition))
	}
	job.Status, want.Failed = observed.JobStatus{Succeeded: 3}, false
	want.Complete, want.Done = true, 3
	check("the Job is complete, and a pod that was replaced is on a lost node")
	job.DeletionTimestamp, want = &noon, nil
	check("the Job is being deleted")
	job = nil
	check("there is no Job")
}
