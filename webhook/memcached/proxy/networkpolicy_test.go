package proxy

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestEgress checks that proxies may open only the connections that they need, and that Allow restricts none.
func TestEgress(t *testing.T) {
	memcached := sample.Proxied(1)
	for _, setting := range []v1alpha1.Egress{"", v1alpha1.EgressDeny} {
		memcached.Spec.NetworkPolicy.Egress = setting
		var allowed []string
		for _, rule := range egress(memcached) {
			for _, port := range rule.Ports {
				allowed = append(allowed, fmt.Sprintf("%d peers %s %s", len(rule.To), *port.Protocol, port.Port))
			}
		}
		want := []string{"1 peers TCP 11211", "0 peers UDP 53", "0 peers UDP 5353", "0 peers TCP 53", "0 peers TCP 5353"}
		if diff := cmp.Diff(want, allowed); diff != "" {
			t.Errorf("egress %q: the proxies may open other connections (-want +got):\n%s", setting, diff)
		}
	}
	memcached.Spec.NetworkPolicy.Egress = v1alpha1.EgressAllow
	if rules := egress(memcached); rules != nil {
		t.Errorf("with Allow, the proxies have the rules %v, which would restrict them", rules)
	}
}
