package observed

import "testing"

func TestAddress(t *testing.T) {
	cases := []struct {
		reason string
		points []LoadBalancerPoint
		want   string
	}{
		{"no controller has set an address yet", nil, ""},
		{"a cloud sets a host name", []LoadBalancerPoint{{Hostname: "a.example.com"}}, "a.example.com"},
		{"a bare-metal load balancer sets an IP address", []LoadBalancerPoint{{IP: "192.0.2.1"}}, "192.0.2.1"},
		{"a host name is preferred to its IP address", []LoadBalancerPoint{{IP: "192.0.2.1", Hostname: "a.example.com"}}, "a.example.com"},
		{"a host name is preferred to another IP address", []LoadBalancerPoint{{IP: "192.0.2.1"}, {Hostname: "a.example.com"}}, "a.example.com"},
		{"the first of several", []LoadBalancerPoint{{IP: "192.0.2.2"}, {IP: "192.0.2.1"}}, "192.0.2.1"},
		{"the same in another order", []LoadBalancerPoint{{IP: "192.0.2.1"}, {IP: "192.0.2.2"}}, "192.0.2.1"},
		{"an empty entry is ignored", []LoadBalancerPoint{{}, {IP: "192.0.2.1"}}, "192.0.2.1"},
	}
	for _, test := range cases {
		ingress := &Ingress{Status: IngressStatus{LoadBalancer: LoadBalancer{Ingress: test.points}}}
		if got := ingress.Address(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
