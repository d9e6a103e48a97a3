package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/memory"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestPeersWithTLS checks that clients can connect to the proxies only with TLS, unless spec allows otherwise, and to no server: servers serve
// without TLS.
func TestPeersWithTLS(t *testing.T) {
	for _, test := range []struct {
		plaintext v1alpha1.Plaintext
		clients   string
	}{{v1alpha1.PlaintextDisabled, "shop 11211"}, {v1alpha1.PlaintextEnabled, "shop 11211 11212"}} {
		memcached := sample.Proxied(3)
		memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls", Plaintext: test.plaintext}
		memcached.Spec.NetworkPolicy.From = []networkingv1.NetworkPolicyPeer{children.Peer(map[string]string{"app": "shop"})}
		memcached = memcached.WithDefaults()
		if diff := cmp.Diff([]string{test.clients, "memcached-move 11213"}, allowed(ingressOf(memcached, ""))); diff != "" {
			t.Errorf("plaintext %s: peers of the proxies (-want +got):\n%s", test.plaintext, diff)
		}
		for _, child := range children.Children(&children.Input{Memcached: memcached, Decision: moves.Decision{ProxyStatus: &v1alpha1.ProxyStatus{}}}) {
			policy, isPolicy := child.(*networkingv1.NetworkPolicy)
			if !isPolicy {
				continue
			}
			if diff := cmp.Diff([]string{"memcached-proxy memcached-move 11211"}, allowed(policy.Spec.Ingress)); diff != "" {
				t.Errorf("plaintext %s: peers of the servers (-want +got):\n%s", test.plaintext, diff)
			}
		}
	}
}

// allowed returns the peers and the ports of each rule.
func allowed(rules []networkingv1.NetworkPolicyIngressRule) (all []string) {
	for _, rule := range rules {
		var words []string
		for _, peer := range rule.From {
			words = append(words, peer.PodSelector.MatchLabels["app"])
		}
		for _, port := range rule.Ports {
			words = append(words, port.Port.String())
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// TestNothingOfTheOperatorNeedsACertificate checks that the probes, the containers of the pod and the Job use the port without TLS.
func TestNothingOfTheOperatorNeedsACertificate(t *testing.T) {
	memcached := sample.Proxied(3)
	memcached.Spec.TLS = &v1alpha1.TLS{SecretName: "cache-tls", ClientAuth: v1alpha1.ClientAuthRequire}
	memcached.Spec.Metrics.Enabled = true
	memcached = memcached.WithDefaults()
	pod := podSpec(memcached, ReleaseDefaults{ReachImage: "operator:1", ExporterImage: "operator:1"}, memory.Of(&memcached.Spec))
	serving := pod.Containers[0]
	listeners := serving.Command[slices.Index(serving.Command, "-l")+1]
	if want := "*,notls:*:11213,notls:proto[ascii]:127.0.0.1:11214"; listeners != want {
		t.Errorf("the proxy listens on %s, want %s", listeners, want)
	}
	in := &Input{Memcached: memcached, Domain: "cluster.local", Decision: moves.Decision{Job: moves.DesiredJob{Routes: moves.ParseRoutes("0-2_0-3_warming")}}}
	for user, argument := range map[string]string{
		"the startup probe": serving.StartupProbe.Exec.Command[2],
		"the exporter":      pod.Containers[1].Args[2],
		"the Job":           jobArgs(in)[4],
	} {
		if !strings.HasSuffix(argument, fmt.Sprintf(":%d", movePort)) {
			t.Errorf("%s has %s, want port %d", user, argument, movePort)
		}
	}
	reached := jobService(in).(*corev1.Service)
	if want := "--through=" + reached.Name + "." + reached.Namespace + ".svc.cluster.local:11213"; jobArgs(in)[4] != want || reached.Spec.Ports[0].Port != movePort {
		t.Errorf("the Job has %s, want %s as its Service has: %v", jobArgs(in)[4], want, reached.Spec.Ports)
	}
	in.Template.Defaults.ExporterImage = "operator:1"
	for _, port := range service(in).(*corev1.Service).Spec.Ports {
		if port.Port == movePort {
			t.Error("the Service of the clients has the port without TLS: a load balancer would open it")
		}
	}
	for _, probe := range []string{serving.ReadinessProbe.TCPSocket.Port.String(), serving.LivenessProbe.TCPSocket.Port.String()} {
		if probe != movePortName {
			t.Errorf("a probe uses port %s, want %s: memcached logs a line for each probe of a port with TLS", probe, movePortName)
		}
	}
	if got, want := pod.Containers[2].Args[1], fmt.Sprintf("--commands=127.0.0.1:%d", commandPort); got != want {
		t.Errorf("the reloader has %s, want %s", got, want)
	}
	var keys []string
	for _, item := range pod.Volumes[1].Secret.Items {
		keys = append(keys, item.Key)
	}
	if diff := cmp.Diff([]string{"tls.crt", "tls.key", "ca.crt"}, keys); diff != "" {
		t.Errorf("files of the Secret (-want +got):\n%s", diff)
	}
	if policy := jobPolicy(in).(*networkingv1.NetworkPolicy); policy.Spec.Egress[len(policy.Spec.Egress)-1].Ports[0].Port.String() != "11213" {
		t.Errorf("the Job may connect to %+v, want port %d of the proxies", policy.Spec.Egress, movePort)
	}
}
