package proxy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

const (
	// JobForAnnotation on the Job is [moves.DesiredJob.String].
	JobForAnnotation = "memcached-operator.example.com/job-for"
	// warmupAnnotation on a Job that copies is the longest time for items to move in seconds. A policy may change the deadline of Jobs.
	warmupAnnotation = "memcached-operator.example.com/warmup-seconds"
	// JobContainerName is the name of the container of the Job, whether it copies or cleans.
	JobContainerName = "move"
	// deadlineDelay is in seconds. The operator removes the Job at the end of its phase, so the deadline is for a Job whose operator does
	// not run.
	deadlineDelay = 600
)

// JobName returns the name of the Job. It is valid for a Job with 1000 completions, because the name of a StatefulSet has at
// most 52 characters.
func JobName(memcached *v1alpha1.Memcached) string { return memcached.Name + jobSuffix }

// JobChildren returns the desired Job of a move, its NetworkPolicy and its Service.
func JobChildren(in *Input) []runtime.Object {
	return children.Build(in, moveJob, jobPolicy, jobService)
}

// EndingJobChildren returns the children that a Job has while its pods end because it is no longer desired: what restricts their connections.
func EndingJobChildren(memcached *v1alpha1.Memcached) []runtime.Object {
	return children.Build(&Input{Memcached: memcached}, jobPolicy)
}

// moveJob returns the Job of a move. It cleans the servers that stay in a decrease, or reads the items of all servers that items move from,
// one server for each index. The Job is never updated, because its template is immutable.
func moveJob(in *Input) runtime.Object {
	memcached, job := in.Memcached, in.Decision.Job
	servers := int32(len(job.JobServers()))
	pods, deadline := servers, (*int64)(nil) // a Job that cleans uses no proxies, and its phase has no end
	if job.Task() == moves.Copy {
		pods, deadline = min(servers, *memcached.Spec.Proxy.Replicas), new(int64(*memcached.Spec.Proxy.Warmup.MaxSeconds)+deadlineDelay)
	}
	return &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        JobName(memcached),
			Namespace:   memcached.Namespace,
			Labels:      children.AddLabels(jobLabels(memcached), memcached.Spec.Proxy.Job.Labels),
			Annotations: jobAnnotations(memcached, job),
		},
		Spec: batchv1.JobSpec{
			CompletionMode:        new(batchv1.IndexedCompletion),
			Completions:           new(servers),
			Parallelism:           new(pods),
			ActiveDeadlineSeconds: deadline,
			BackoffLimitPerIndex:  new(int32(3)),
			// A failure policy allows only Failed, which never replaces a pod on a lost node. Such a pod may run on: a copy moves the same
			// items, and clean keeps what was used since it began.
			PodReplacementPolicy: new(batchv1.TerminatingOrFailed),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: jobPodLabels(memcached), Annotations: jobPodAnnotations(memcached)},
				Spec:       children.WithPodOptions(&memcached.Spec, jobPod(in), children.TolerationSeconds(&memcached.Spec, nil)),
			},
		},
	}
}

// WarmupOf returns the longest time for items to move that spec had when a Job was created; 0 for a Job that cleans.
func WarmupOf(job *observed.Job) time.Duration {
	seconds, _ := strconv.ParseInt(job.Annotations[warmupAnnotation], 10, 32) // 0 for one that is missing or was edited
	return time.Duration(max(0, seconds)) * time.Second
}

// jobPolicy lets the pods of the Job connect only to the servers, the proxies and DNS, and lets no peer connect to them. It returns nil if
// it is disabled.
func jobPolicy(in *Input) runtime.Object {
	memcached := in.Memcached
	if !ptr.Deref(memcached.Spec.NetworkPolicy.Enabled, true) {
		return nil
	}
	rules := egress(memcached)
	if rules != nil {
		rules = append(rules, networkingv1.NetworkPolicyEgressRule{
			To:    []networkingv1.NetworkPolicyPeer{children.Peer(children.ProxySelector(memcached))},
			Ports: children.PolicyPorts([]corev1.ServicePort{plainPort(&memcached.Spec)}),
		})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: JobName(memcached), Namespace: memcached.Namespace, Labels: jobLabels(memcached)},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: children.MoveSelector(memcached)},
			PolicyTypes: children.PolicyTypes(memcached),
			Egress:      rules,
		},
	}
}

// jobService returns the Service by which the Job reaches proxies with TLS; nil if it needs none. The Service of the clients does not have
// the port without TLS.
func jobService(in *Input) runtime.Object {
	memcached := in.Memcached
	if memcached.Spec.TLS == nil || in.Decision.Job.Task() != moves.Copy {
		return nil
	}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Name: JobName(memcached), Namespace: memcached.Namespace, Labels: jobLabels(memcached)},
		Spec: corev1.ServiceSpec{
			Type:           corev1.ServiceTypeClusterIP,
			IPFamilyPolicy: memcached.Spec.Service.IPFamilyPolicy,
			Selector:       children.ProxySelector(memcached),
			Ports:          []corev1.ServicePort{plainPort(&memcached.Spec)},
		},
	}
}

// jobArgs returns the command line for the server of an index. The Job controller sets the variable.
func jobArgs(in *Input) []string {
	memcached, r, domain := in.Memcached, in.Decision.Job.Routes, in.Domain
	server, ordinals, index := children.ServerName(memcached, domain, "{ordinal}"), "--ordinals="+list(r.JobServers()), "--index=$(JOB_COMPLETION_INDEX)"
	switch r.Task() {
	case moves.CleanAdded: // no key belongs to them
		return []string{"clean", "--server=" + server, ordinals, index, "--of=0", "--patience=1h"}
	case moves.CleanStaying:
		return []string{"clean", "--server=" + server, ordinals, index, fmt.Sprintf("--of=%d", r.From.Slots.Count), "--patience=1h"}
	}
	args := []string{
		"copy",
		"--from=" + server,
		ordinals,
		index,
		"--through=" + jobAddress(memcached, domain),
		fmt.Sprintf("--rate=%d", *memcached.Spec.Proxy.Warmup.ItemsPerSecond),
	}
	if in.Decision.Job.Stuck != "" { // a server to clean that does not respond may come back with its items, so clean waits for it
		args = append(args, "--stuck="+in.Decision.Job.Stuck)
	}
	switch {
	case r.Resizes() && r.To.Slots.Count > r.From.Slots.Count: // a server keeps most of its keys
		args = append(args, fmt.Sprintf("--servers=%d", r.To.Slots.Count))
	case memcached.Spec.Flash == nil: // the memory does not limit what is on flash
		args = append(args, fmt.Sprintf("--room=%d", max(1, int64(r.To.Slots.Count)*in.Memory.ItemMiB/int64(r.From.Slots.Count))))
	}
	return args
}

// list returns numbers with commas between them.
func list(ordinals []int32) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(ordinals), "[]"), " ", ",")
}

// jobPod returns the pod of the Job for one server.
func jobPod(in *Input) corev1.PodSpec {
	spec := &in.Memcached.Spec
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name:            JobContainerName,
			Image:           in.OperatorImage,
			ImagePullPolicy: spec.ImagePullPolicy,
			Args:            jobArgs(in),
			// The Job lists and reads a limited number of items at a time, however many there are.
			Resources:                children.HelperResources(spec, 50, max(children.HelperCPUOf(spec.Resources, nil), children.HelperCPUOf(spec.Proxy.Resources, nil))),
			SecurityContext:          resources.RestrictedContainer(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		}},
		Affinity: nodeAffinity(spec.Affinity),
	}
}
