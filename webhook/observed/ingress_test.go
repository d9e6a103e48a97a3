package observed

import "testing"

func TestAddress(t *testing.T) {
	cases := []struct {
		reason string
		points []LoadBalancerPoint
		want   string
	}{
		{"no controller has taken the Ingress yet", nil, ""},
		{"clouds give a host name", []LoadBalancerPoint{{Hostname: "a.example.com"}}, "a.example.com"},
		{"bare metal gives an IP", []LoadBalancerPoint{{IP: "192.0.2.1"}}, "192.0.2.1"},
		{"a host name outlives the IP behind it", []LoadBalancerPoint{{IP: "192.0.2.1", Hostname: "a.example.com"}}, "a.example.com"},
		{"so it does beside another's IP", []LoadBalancerPoint{{IP: "192.0.2.1"}, {Hostname: "a.example.com"}}, "a.example.com"},
		{"one of many is always the same one", []LoadBalancerPoint{{IP: "192.0.2.2"}, {IP: "192.0.2.1"}}, "192.0.2.1"},
		{"whatever their order", []LoadBalancerPoint{{IP: "192.0.2.1"}, {IP: "192.0.2.2"}}, "192.0.2.1"},
		{"an empty entry is no address", []LoadBalancerPoint{{}, {IP: "192.0.2.1"}}, "192.0.2.1"},
	}
	for _, test := range cases {
		ingress := &Ingress{Status: IngressStatus{LoadBalancer: LoadBalancer{Ingress: test.points}}}
		if got := ingress.Address(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
