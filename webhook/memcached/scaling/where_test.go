package scaling

import "testing"

// TestPrecedence checks from which routes a decision continues: a row for each source, and for each pair of which one is wrong.
func TestPrecedence(t *testing.T) {
	status := func(label string) func(*Facts) {
		return func(f *Facts) { f.Status.Proxy.Controller.Routes = label }
	}
	pods := func(labels ...string) func(*Facts) {
		return func(f *Facts) {
			f.Proxies.Pods = nil
			for _, label := range labels {
				f.Proxies.Pods = append(f.Proxies.Pods, Proxy{Routes: ParseRoutes(label)})
			}
		}
	}
	unlabelled := func(f *Facts) { f.Proxies.Deployment.Routes = Routes{} }
	deleted := func(f *Facts) { f.Proxies.Deployment = nil }
	runs := func(servers Servers) func(*Facts) {
		return func(f *Facts) { f.Workload.Run, f.Servers = servers, nil }
	}
	unobserved := func(f *Facts) { f.Workload = nil }
	cases := []struct {
		reason string
		change func(*Facts)
		want   string
	}{
		{"the Deployment has the last decision, and status may not have been written", status("0-2_0-3_announcing"), "0-2_0-3_warming"},
		{"a restored status has another move", status("0-6"), "0-2_0-3_warming"},
		{"running proxies have the routes of the rollout before", pods("0-2_0-3_preparing"), "0-2_0-3_warming"},
		{"somebody has edited the label of the Deployment: status has the last decision", unlabelled, "0-2_0-3_warming"},
		{"the status of before the last decision: running proxies are ahead", all(unlabelled, status("0-2_0-3_announcing"), pods("0-2_0-3_warming")), "0-2_0-3_warming"},
		{"the last decision has no rollout yet: status is ahead", all(deleted, status("0-2_0-3_closing")), "0-2_0-3_closing"},
		{"status is lost: running proxies have the routes", all(deleted, status(""), pods("0-2_0-3_announcing", "0-2_0-3_preparing")), "0-2_0-3_preparing"},
		{"proxies prepare, and none announces: warming ones may have stopped first", all(deleted, status(""), pods("0-2_0-3_preparing")), "0-2_0-3_warming"},
		{"no proxy says so: all servers that exist may have items", all(deleted, status(""), pods(), runs(Servers{3, 3})), "3-5"},
		{"no proxy says so, and the StatefulSet is not observed: the pods may have items", all(deleted, status(""), pods(), unobserved), "0-3"},
		{"nothing exists: a new cache", all(deleted, status(""), pods(), unobserved, func(f *Facts) { f.Servers = nil }), "0-3"},
		{"nothing is left after size 0, whatever the label says: the cache starts where it was", all(pods(), runs(Servers{First: 6}), func(f *Facts) { f.Proxies.Deployment.Replicas = 0 }), "6-9"},
		{"size 0, and a server still terminates: the label counts", all(pods(), runs(Servers{First: 6}), func(f *Facts) {
			f.Proxies.Deployment.Replicas, f.Servers = 0, map[int32]Server{2: {}}
		}), "0-2_0-3_warming"},
	}
	for _, test := range cases {
		f := cache(4, 4, "0-2_0-3_warming")
		test.change(f)
		if got := f.routes().String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}
