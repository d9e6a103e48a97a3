package memcached

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/api"
	"github.com/example/memcached-operator/webhook/memcached/diagnosis"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// TestTLSOfProxiesKeepsServers checks that a change of spec.tls replaces the proxies, and no server: each would lose its items.
func TestTLSOfProxiesKeepsServers(t *testing.T) {
	var before syncResponse
	for _, tls := range []*v1alpha1.TLS{
		nil,
		{SecretName: "cache-tls"},
		{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequire},
		{SecretName: "other", Plaintext: v1alpha1.PlaintextEnabled},
	} {
		request := proxied(t, 3, "0-2")
		request.Parent.Spec.TLS = tls
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		if tls == nil {
			before = response
			continue
		}
		if diff := cmp.Diff(withoutPeers(before.Children[:5]), withoutPeers(response.Children[:5])); diff != "" {
			t.Errorf("%+v: the servers change (-without +with TLS):\n%s", *tls, diff)
		}
		if without, with := workloadsOf(before), workloadsOf(response); without != with {
			t.Errorf("%+v: the workloads are %s, want %s", *tls, with, without)
		}
		if cmp.Equal(podOfProxies(before), podOfProxies(response)) {
			t.Errorf("%+v: the pod template of the proxies does not change", *tls)
		}
	}
}

// withoutPeers returns the children of servers without the peers of their NetworkPolicy.
func withoutPeers(children []runtime.Object) []runtime.Object {
	return slices.DeleteFunc(slices.Clone(children), func(child runtime.Object) bool {
		_, isPolicy := child.(*networkingv1.NetworkPolicy)
		deployment, isDeployment := child.(*appsv1.Deployment)
		return isPolicy || isDeployment && deployment.Name == "cache-proxy"
	})
}

func podOfProxies(response syncResponse) corev1.PodSpec {
	for _, child := range response.Children {
		if deployment, found := child.(*appsv1.Deployment); found {
			return deployment.Spec.Template.Spec
		}
	}
	return corev1.PodSpec{}
}

// TestSecretsOfProxies checks that SecretsCurrent reports what the proxies do with the certificate, and not the servers.
func TestSecretsOfProxies(t *testing.T) {
	running := func(names ...string) (all []observed.ContainerStatus) {
		for _, name := range names {
			all = append(all, observed.ContainerStatus{Name: name, State: observed.ContainerState{Running: observed.ContainerRunning{StartedAt: noon.Add(-time.Hour)}}})
		}
		return all
	}
	mounting := func(pod *observed.Pod) {
		pod.Status = observed.PodStatus{StartTime: noon.Add(-time.Hour), Conditions: observed.PodConditions{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse}}}
	}
	cases := []struct {
		reason   string
		pod      string
		change   func(*observed.Pod)
		want     string // "" for a cache without TLS
		degraded string
	}{
		{"all proxies run with the reloader", "", nil, "Loaded", "AsExpected"},
		{"a proxy keeps the former certificate", "cache-proxy-1", func(pod *observed.Pod) {
			pod.Status.ContainerStatuses = append(running(proxy.ContainerName), reloaderExit(1, "tls.crt has expired"))
		}, "SecretNotReloaded", "SecretNotReloaded"},
		{"a proxy waits for its Secret", "cache-proxy-1", mounting, "SecretNotMounted", "SecretNotMounted"},
		{"a server waits for its volumes, but loads no Secret", "cache-0", mounting, "Loaded", "AsExpected"},
		{"a pod with the labels of proxies has a container named reloader", "cache-proxy-1", func(pod *observed.Pod) {
			pod.Status.ContainerStatuses = append(running(proxy.ContainerName), reloaderExit(1, "not ours"))
		}, "", "AsExpected"},
	}
	for _, test := range cases {
		request := proxied(t, 3, "0-2")
		if test.want != "" {
			request.Parent.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls"}
		}
		response, err := proxyConfig.sync(request)
		if err != nil {
			t.Fatal(err)
		}
		request.Children = applied(response.Children)
		request.Children.Deployments.Get("web", "cache-proxy").Annotations[deploymentRevisionAnnotation] = "7"
		for pod := range request.Related.Pods.All() {
			if strings.HasPrefix(pod.Name, "cache-proxy") {
				pod.Status.ContainerStatuses = running(proxy.ContainerName, "reloader")
			}
			if pod.Name == test.pod {
				test.change(pod)
			}
		}
		found := conditionsOf(t, proxyConfig, request)
		if got := found[diagnosis.SecretsCurrent]; got.Reason != test.want {
			t.Errorf("%s: SecretsCurrent is %s for %s (%s), want %s", test.reason, got.Status, got.Reason, got.Message, test.want)
		}
		if got := found[api.Degraded]; got.Reason != test.degraded {
			t.Errorf("%s: Degraded is %s for %s (%s), want %s", test.reason, got.Status, got.Reason, got.Message, test.degraded)
		}
	}
}
