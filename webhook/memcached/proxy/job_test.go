package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// jobOf returns the Job for the routes of a label.
func jobOf(memcached *v1alpha1.Memcached, label string) *batchv1.Job {
	in := &Input{Memcached: memcached, OperatorImage: "operator:1", Domain: "cluster.local", Memory: memory.Of(&memcached.Spec)}
	in.Decision.Job = moves.DesiredJob{Routes: moves.ParseRoutes(label), Rollout: "5"}
	return moveJob(in).(*batchv1.Job)
}

// TestWarmupServers checks which servers the Job reads or cleans: only those that items move from, and only those that stay.
func TestWarmupServers(t *testing.T) {
	cases := []struct {
		reason, routes string
		servers        int32
		pods           int32
		args           []string
	}{
		{"items of all servers move to a new one, which has room for them", "0-2_0-3_warming", 3, 2, []string{"--ordinals=0,1,2", "--servers=4"}},
		{"only the items of the last server move, and the others have room for three of four", "0-3_0-2_warming", 1, 1, []string{"--ordinals=3", "--room=48"}},
		{"half of the servers are removed", "0-5_0-2_warming", 3, 2, []string{"--ordinals=3,4,5", "--room=32"}},
		{"the servers that stay are cleaned of the keys of all six", "0-5_0-2_announcing", 3, 3, []string{"--of=6"}},
		{"items of all servers move to three others", "0-2_3-5_warming", 3, 2, []string{"--ordinals=0,1,2", "--room=64"}},
		{"items of one server move to the spare", "0-2_0-2.1_warming", 1, 1, []string{"copy", "--ordinals=1", "--room=64"}},
		{"the server whose slot returns has no keys yet", "0-2.1_0-2_announcing", 1, 1, []string{"clean", "--ordinals=1", "--of=0"}},
		{"items move back from the spare", "0-2.1_0-2_warming", 1, 1, []string{"copy", "--ordinals=3", "--room=64"}},
		{"items of two servers move to spares", "0-2_0-2.1.2-1_warming", 2, 2, []string{"copy", "--ordinals=1,2", "--room=64"}},
		{"items of two servers and the spare move to three others", "0-2.1_4-6_warming", 3, 2, []string{"--ordinals=0,3,2", "--room=64"}},
	}
	for _, test := range cases {
		memcached := sample.Proxied(3)
		job := jobOf(memcached, test.routes)
		args := job.Spec.Template.Spec.Containers[0].Args
		missing := func(arg string) bool { return !slices.Contains(args, arg) }
		if *job.Spec.Completions != test.servers || *job.Spec.Parallelism != test.pods || slices.ContainsFunc(test.args, missing) {
			t.Errorf("%s: %d servers with %d pods and %q, want %d, %d and %q", test.reason, *job.Spec.Completions, *job.Spec.Parallelism, args, test.servers, test.pods, test.args)
		}
		if got := job.Annotations[JobForAnnotation]; got != test.routes+" 5" {
			t.Errorf("%s: the Job is for %s", test.reason, got)
		}
	}
}

// TestJobOfLostServers checks that a copy does not wait for servers whose node is lost, that clean does, and that a pod on a lost node is replaced: no
// kubelet ends it, and with a failure policy the API server allows only to wait for that.
func TestJobOfLostServers(t *testing.T) {
	memcached := sample.Proxied(3)
	for _, test := range []struct {
		reason, routes string
		lost, want     string
	}{
		{"no server is lost", "0-2_0-2.1_warming", "", ""},
		{"the server that items move from is lost", "0-2_0-2.1_warming", "1", "--stuck=1"},
		{"two of three servers are lost", "0-2_3-5_warming", "0,2", "--stuck=0,2"},
		{"a lost server may come back with items that were not deleted", "0-3_0-2_announcing", "1", ""},
	} {
		in := &Input{Memcached: memcached, Memory: memory.Of(&memcached.Spec)}
		in.Decision.Job = moves.DesiredJob{Routes: moves.ParseRoutes(test.routes), Rollout: "5", Stuck: test.lost}
		spec, got := moveJob(in).(*batchv1.Job).Spec, ""
		for _, arg := range spec.Template.Spec.Containers[0].Args {
			if strings.HasPrefix(arg, "--stuck") {
				got = arg
			}
		}
		if got != test.want || *spec.PodReplacementPolicy != batchv1.TerminatingOrFailed || spec.PodFailurePolicy != nil {
			t.Errorf("%s: %q, replacement %s, failure policy %v, want %q, TerminatingOrFailed and none", test.reason, got, *spec.PodReplacementPolicy, spec.PodFailurePolicy, test.want)
		}
	}
}

// TestJobMetadata checks that the pods of the Job ask meshes for no sidecar, and that what spec has for the Job counts first.
func TestJobMetadata(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.PodLabels = v1alpha1.Labels{"team": "shop", "kuma.io/sidecar-injection": "enabled"}
	memcached.Spec.PodAnnotations = v1alpha1.Annotations{"linkerd.io/inject": "enabled"}
	memcached.Spec.Proxy.Job = v1alpha1.Job{
		Labels:      v1alpha1.Labels{"kueue.x-k8s.io/queue-name": "moves", "team": "moves"},
		Annotations: v1alpha1.Annotations{"linkerd.io/inject": "ingress"},
	}
	job := jobOf(memcached, "0-2_0-3_warming")
	pod := job.Spec.Template
	for key, want := range map[string][2]string{ // of the Job, and of its pods
		"kueue.x-k8s.io/queue-name": {"moves", "moves"}, "team": {"moves", "moves"},
		"sidecar.istio.io/inject": {"", "false"}, "kuma.io/sidecar-injection": {"", "enabled"},
	} {
		if got := [2]string{job.Labels[key], pod.Labels[key]}; got != want {
			t.Errorf("the label %s of the Job and its pods is %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string][2]string{
		"linkerd.io/inject": {"ingress", "ingress"}, "consul.hashicorp.com/connect-inject": {"", "false"},
	} {
		if got := [2]string{job.Annotations[key], pod.Annotations[key]}; got != want {
			t.Errorf("the annotation %s of the Job and its pods is %q, want %q", key, got, want)
		}
	}
}

// TestJobPodWithMostLabels checks that the labels by which the hook knows a pod of the Job are read although spec has as many as it may have, which come
// first. Otherwise the NetworkPolicy of the Job would be deleted while its pods end.
func TestJobPodWithMostLabels(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.PodLabels, memcached.Spec.Proxy.Job.Labels = v1alpha1.Labels{}, v1alpha1.Labels{}
	for i := range 64 {
		memcached.Spec.PodLabels[fmt.Sprintf("a-%d", i)] = "x"
		memcached.Spec.Proxy.Job.Labels[fmt.Sprintf("a.job-%d", i)] = "x"
	}
	template := jobOf(memcached, "0-2_0-3_warming").Spec.Template
	for _, added := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index"} {
		template.Labels[added] = "x"
	}
	body, err := json.Marshal(corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: memcached.Namespace, Labels: template.Labels}})
	if err != nil {
		t.Fatal(err)
	}
	var pod observed.Pod
	if err := jsonv2.Unmarshal(body, &pod); err != nil {
		t.Fatal(err)
	}
	if !pod.Selected(memcached.Namespace, children.MoveSelector(memcached)) {
		t.Errorf("%d of %d labels were read, without those of the Job", len(pod.Labels), len(template.Labels))
	}
}

// TestWarmupPodsAreNoServers checks that no other selector selects the pods of the Job.
func TestWarmupPodsAreNoServers(t *testing.T) {
	memcached := sample.Proxied(3)
	labels := k8slabels.Set(jobOf(memcached, "0-2_0-3_warming").Spec.Template.Labels)
	for name, selector := range map[string]map[string]string{
		"servers": children.SelectorLabels(memcached), "proxies": children.ProxySelector(memcached),
		"related servers": {children.NameLabel: memcached.Name}, "related proxies": {children.ProxyLabel: memcached.Name},
	} {
		if k8slabels.SelectorFromSet(selector).Matches(labels) {
			t.Errorf("the selector of %s selects the pods of the Job: %v", name, labels)
		}
	}
	if !k8slabels.SelectorFromSet(children.MoveSelector(memcached)).Matches(labels) {
		t.Errorf("the NetworkPolicies do not select the pods of the Job: %v", labels)
	}
}

// TestJobPolicy checks that the pods of the Job may connect to servers, proxies and DNS only, that no peer may connect to them, and
// that the policies of the servers and proxies allow them.
func TestJobPolicy(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	policyOf := func() networkingv1.NetworkPolicySpec {
		return jobPolicy(&Input{Memcached: memcached}).(*networkingv1.NetworkPolicy).Spec
	}
	policy := policyOf()
	if len(policy.PolicyTypes) != 2 || policy.Ingress != nil || len(policy.Egress) != 3 {
		t.Fatalf("the policy types are %v with the rules %v and %v, want both types, no rule, and three", policy.PolicyTypes, policy.Ingress, policy.Egress)
	}
	pods := jobOf(memcached, "0-2_0-3_warming").Spec.Template.Labels
	selects := func(selector *metav1.LabelSelector, labels map[string]string) bool {
		return k8slabels.SelectorFromSet(selector.MatchLabels).Matches(k8slabels.Set(labels))
	}
	if !selects(&policy.PodSelector, pods) {
		t.Errorf("the policy does not select the pods of the Job: %v", pods)
	}
	for i, labels := range map[int]map[string]string{0: children.SelectorLabels(memcached), 2: children.ProxySelector(memcached)} {
		if rule := policy.Egress[i]; len(rule.To) != 1 || !selects(rule.To[0].PodSelector, labels) || len(rule.Ports) == 0 {
			t.Errorf("rule %d is %+v, want the pods with the labels %v and their ports", i, rule, labels)
		}
	}
	if from := ingressOf(memcached, "")[0].From; !selects(from[0].PodSelector, pods) {
		t.Errorf("the proxies admit %+v, and not the pods of the Job", from)
	}
	memcached.Spec.NetworkPolicy.Egress = v1alpha1.EgressAllow
	if policy := policyOf(); len(policy.PolicyTypes) != 1 || policy.Egress != nil {
		t.Errorf("with all egress allowed, the policy restricts %v to %v", policy.PolicyTypes, policy.Egress)
	}
}

// TestLongestWarmupName checks the host name of a pod of the Job, which has its index.
func TestLongestWarmupName(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Name = strings.Repeat("a", 52) // the maximum for a StatefulSet
	if problems := validation.IsDNS1123Label(JobName(memcached) + "-999"); problems != nil {
		t.Errorf("a Job cannot have the name %s: %v", JobName(memcached), problems)
	}
}
