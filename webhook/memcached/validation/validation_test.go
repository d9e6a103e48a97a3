package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestValidateCoreTypes checks that each field of a Kubernetes type is validated, with its own path. The rules of the types
// are tested in test/manifests.
func TestValidateCoreTypes(t *testing.T) {
	cases := []struct {
		reason   string
		change   func(*v1alpha1.MemcachedSpec)
		sentence string
	}{
		{"an empty selector selects all pods", func(s *v1alpha1.MemcachedSpec) {
			s.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
		}, ""},
		{"a CIDR with host bits", func(s *v1alpha1.MemcachedSpec) {
			s.NetworkPolicy.MetricsFrom = []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.1/8"}}}
		}, `spec.networkPolicy.metricsFrom[0].ipBlock.cidr: Invalid value: "10.0.0.1/8"`},
		{"a negative limit", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Resources = sample.Quantity("64Mi"), sample.Limits("-5Mi")
		}, `spec.resources.limits[memory]: Invalid value: "-5Mi": must not be negative`},
		{"a limit that the kubelet treats as no limit", func(s *v1alpha1.MemcachedSpec) {
			s.Cache.Memory, s.Resources = sample.Quantity("64Mi"), sample.Limits("0")
		}, `spec.resources.limits[memory]: Invalid value: "0": must be at least 1Mi`},
		{"a limit above 64 bits", func(s *v1alpha1.MemcachedSpec) { s.Resources = sample.Limits("1000000000000000000000") }, `spec.resources.limits[memory]: Invalid value: must be less than 8Ei`},
		{"a negative limit of the exporter", func(s *v1alpha1.MemcachedSpec) { s.Metrics.Resources = sample.Limits("-1") }, `spec.metrics.resources.limits[memory]`},
		{"a negative limit of helpers", func(s *v1alpha1.MemcachedSpec) { s.HelperResources = sample.Limits("-1") }, `spec.helperResources.limits[memory]`},
		{"a name of a resource that would reach a terminal in an Event", func(s *v1alpha1.MemcachedSpec) {
			s.Resources.Requests = corev1.ResourceList{"\u009b31m": resource.MustParse("1")}
		}, `spec.resources.requests: Invalid value: " 31m": name part must consist of`},
		{"more limits than a container has, each of which costs time in every helper", func(s *v1alpha1.MemcachedSpec) {
			s.HelperResources.Limits = corev1.ResourceList{}
			for i := range 65 {
				s.HelperResources.Limits[corev1.ResourceName(strconv.Itoa(i))] = resource.MustParse("1Pi")
			}
		}, `spec.helperResources.limits: Too many: 65: must have at most 64 items`},
		{"a label of the Job by which others select pods", func(s *v1alpha1.MemcachedSpec) {
			s.Workload, s.Proxy = v1alpha1.StatefulSetWorkload, &v1alpha1.Proxy{Job: v1alpha1.Job{Labels: v1alpha1.Labels{"memcached_cr": "other"}}}
		}, `spec.proxy.job.labels[memcached_cr]: Forbidden`},
		{"an annotation of the operator on the Job", func(s *v1alpha1.MemcachedSpec) {
			s.Workload, s.Proxy = v1alpha1.StatefulSetWorkload, &v1alpha1.Proxy{Job: v1alpha1.Job{Annotations: v1alpha1.Annotations{"memcached-operator.example.com/job-for": "x"}}}
		}, `spec.proxy.job.annotations[memcached-operator.example.com/job-for]: Forbidden`},
		{"the label by which Metacontroller selects children", func(s *v1alpha1.MemcachedSpec) {
			s.Metrics = v1alpha1.Metrics{Enabled: true, ServiceMonitor: &v1alpha1.ServiceMonitor{Labels: map[string]v1alpha1.LabelValue{"controller-uid": "x"}}}
		}, "spec.metrics.serviceMonitor.labels"},
		{"an annotation of Metacontroller", func(s *v1alpha1.MemcachedSpec) { s.PodAnnotations = map[string]string{"metacontroller.k8s.io/a": "b"} }, `spec.podAnnotations[metacontroller.k8s.io/a]: Forbidden`},
	}
	for _, test := range cases {
		wantValidated(t, test.reason, test.change, test.sentence)
	}
}

// TestOwnedLabels checks that spec cannot set the labels by which others select pods. The API server would refuse the Job of a warm-up with its
// labels at every sync, and pods with those of proxies would be observed by another cache.
func TestOwnedLabels(t *testing.T) {
	for _, label := range []string{
		"job-name", "batch.kubernetes.io/job-name", "controller-uid", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-completion-index",
		"memcached_cr", "memcached_proxy", "memcached_move", "memcached-operator.example.com/proxy-routes",
	} {
		wantValidated(t, label, func(s *v1alpha1.MemcachedSpec) { s.PodLabels = map[string]v1alpha1.LabelValue{label: "other"} },
			"spec.podLabels["+label+"]: Forbidden: the operator or a workload uses this label")
	}
}

// TestValidateSize: a user reads one cause for each size, although two rules reject a negative one.
func TestValidateSize(t *testing.T) {
	for reason, test := range map[string]struct {
		size *int32
		want string
	}{
		"the largest size":    {new(int32(1000)), "<nil>"},
		"a larger size":       {new(int32(1001)), "spec.size: Invalid value: 1001: must be from 0 to 1000"},
		"a negative size":     {new(int32(-1)), "spec.size: Invalid value: -1: must be greater than or equal to 0"},
		"a size that is null": {nil, "spec.size: Required value: must be the number of pods"},
	} {
		memcached := sample.New(1).WithDefaults()
		memcached.Spec.Size = test.size
		if got := fmt.Sprint(Validate(memcached, allKinds, false, "cluster.local")); got != test.want {
			t.Errorf("%s: the error is %q, want %q", reason, got, test.want)
		}
	}
}

// TestManyErrors: with all errors, a message of megabytes would take minutes, because errors are compared with each other, and ten requests
// would take the memory of the hook.
func TestManyErrors(t *testing.T) {
	ranges := func(count int) networkingv1.NetworkPolicyPeer {
		return networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: make([]string, count)}}
	}
	labels := map[string]string{}
	for i := range 257 {
		labels[fmt.Sprintf("A!/%d", i)] = "-"
	}
	values := metav1.LabelSelectorRequirement{Key: "a", Operator: metav1.LabelSelectorOpIn, Values: make([]string, 256)}
	for reason, test := range map[string]struct {
		from []networkingv1.NetworkPolicyPeer
		want string
	}{
		"ranges": {[]networkingv1.NetworkPolicyPeer{ranges(257)}, "[0].ipBlock.except: Too many: 257: must have at most 256 items"},
		"labels": {[]networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: labels}}}, "[0].podSelector: Too many: 257: must have at most 256 items"},
		"values": {
			[]networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{values}}}},
			"[0].namespaceSelector: Too many: 257: must have at most 256 items",
		},
		"peers": {slices.Repeat([]networkingv1.NetworkPolicyPeer{ranges(256)}, 64), ", and 246 more"},
	} {
		memcached := sample.New(1)
		memcached.Spec.NetworkPolicy.From = test.from
		err := Validate(memcached.WithDefaults(), allKinds, false, "cluster.local")
		if err == nil || !strings.HasSuffix(err.Error(), test.want) || len(err.Error()) > 4096 {
			t.Errorf("%s: %.300v, want an error that ends with %q", reason, err, test.want)
		}
	}
}

// TestLongValues: an error has a copy of the value, of which each byte may take four as text.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("\x7f", 50_000)
	for reason, change := range map[string]func(*v1alpha1.MemcachedSpec){
		"a value in a list of allowed ones": func(s *v1alpha1.MemcachedSpec) { s.NetworkPolicy.Egress = v1alpha1.Egress(long) },
		"a value that does not match":       func(s *v1alpha1.MemcachedSpec) { s.Cache.ExtraArgs = []string{long} },
		"a key": func(s *v1alpha1.MemcachedSpec) {
			s.PodAnnotations = map[string]string{"metacontroller.k8s.io/" + long: ""}
		},
		"a value of another package": func(s *v1alpha1.MemcachedSpec) {
			s.PodLabels = map[string]v1alpha1.LabelValue{"a": v1alpha1.LabelValue(long)}
		},
	} {
		memcached := sample.New(1)
		change(&memcached.Spec)
		if err := Validate(memcached.WithDefaults(), allKinds, false, "cluster.local"); err == nil || len(err.Error()) > 2000 {
			t.Errorf("%s of %d bytes: the error is %.100v…, with %d bytes", reason, len(long), err, len(fmt.Sprint(err)))
		}
	}
}

// allKinds has the kinds of all children.
var allKinds = sets.New("Deployment", "StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy", "ServiceMonitor")

// wantValidated fails unless a changed spec is refused with an error that contains sentence, or accepted if sentence is
// empty.
func wantValidated(t *testing.T, reason string, change func(*v1alpha1.MemcachedSpec), sentence string) {
	t.Helper()
	memcached := sample.New(1)
	change(&memcached.Spec)
	memcached = memcached.WithDefaults()
	got := ""
	if err := Validate(memcached, allKinds, false, "cluster.local"); err != nil {
		got = err.Error()
	}
	if (got == "") != (sentence == "") || !strings.Contains(got, sentence) {
		t.Errorf("%s: the error is %q, want one with %q", reason, got, sentence)
	}
}
