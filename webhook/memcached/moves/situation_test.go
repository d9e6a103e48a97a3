package moves

import (
	"strings"
	"testing"
)

// TestPrecedence checks from which routes a cache of size 4 continues: a row for each source, and one for each two that contradict each
// other.
func TestPrecedence(t *testing.T) {
	const move = "0-2_0-3_"
	none := Range{First: -1} // is not observed
	cases := []struct {
		reason  string
		label   string // of the Deployment; "-" if it is not observed
		status  string
		proxies string // the labels of those that run
		set     Range
		servers Range // those that exist
		want    string
	}{
		{"no source contradicts another one", move + "warming", move + "warming", move + "warming", Range{0, 4}, Range{0, 4}, move + "warming"},

		{"emptied before label: no server is left that the label names", move + "warming", "", "", Range{6, 0}, Range{}, "6-9"},
		{"emptied before status: the label was edited, too", "", move + "warming", "", Range{6, 0}, Range{}, "6-9"},
		{"not emptied: a removed server still terminates", move + "warming", "", "", Range{6, 0}, Range{2, 1}, move + "warming"},
		{"not emptied: a proxy still runs", move + "warming", "", move + "warming", Range{6, 0}, Range{}, move + "warming"},
		{"not emptied: the StatefulSet is not observed", move + "warming", "", "", none, Range{}, move + "warming"},
		{"not emptied: it still has servers", move + "warming", "", "", Range{0, 4}, Range{}, move + "warming"},

		{"label before status: the status of the last decision was not written", move + "warming", move + "preparing", "", Range{0, 4}, Range{0, 4}, move + "warming"},
		{"label before status: a restored status has a later phase of another move", move + "warming", "3-5_3-6_closing", "", Range{0, 4}, Range{0, 4}, move + "warming"},
		{"label before proxies: those of the rollout before still run", move + "warming", "", move + "preparing", Range{0, 4}, Range{0, 4}, move + "warming"},
		{"label before proxies: those of a move that was given up still run", move + "announcing", "", move + "preparing", Range{0, 4}, Range{0, 4}, move + "announcing"},
		{"label before servers: those that are added have no items yet", "0-2", "", "0-2", Range{0, 4}, Range{0, 4}, "0-2"},

		{"status before proxies: the last decision has no rollout yet", "-", move + "closing", move + "warming", Range{0, 4}, Range{0, 4}, move + "closing"},
		{"status before proxies: somebody has edited the label", "", move + "closing", move + "warming", Range{0, 4}, Range{0, 4}, move + "closing"},
		{"proxies before status: they have a later phase", "-", move + "announcing", move + "warming", Range{0, 4}, Range{0, 4}, move + "warming"},
		{"status before servers: those that are added have no items yet", "-", "0-2", "", Range{0, 4}, Range{0, 4}, "0-2"},
		{"proxies before servers: those that are added have no items yet", "-", "", "0-2", Range{0, 4}, Range{0, 4}, "0-2"},
		{"proxies alone: the last phase", "-", "", move + "announcing " + move + "preparing", Range{0, 4}, Range{0, 4}, move + "preparing"},
		{"proxies alone: they prepare and none announces, so warming ones may have stopped first", "-", "", move + "preparing", Range{0, 4}, Range{0, 4}, move + "warming"},

		{"servers before size: all that exist may have items", "-", "", "", Range{3, 3}, Range{}, "3-5"},
		{"servers before size: the StatefulSet is not observed", "-", "", "", none, Range{0, 3}, "0-2"},
		{"size: nothing exists", "-", "", "", none, Range{}, "0-3"},
		{"size: an empty StatefulSet", "-", "", "", Range{6, 0}, Range{}, "6-9"},
	}
	for _, test := range cases {
		f := factsOf(4, 0, "0-3")
		f.Status.Proxy.LastDecision.Routes = test.status
		f.Proxies.Pods = nil
		for _, label := range strings.Fields(test.proxies) {
			f.Proxies.Pods = append(f.Proxies.Pods, ProxyPod{Routes: ParseRoutes(label)})
		}
		f.Proxies.Deployment.Routes, f.Proxies.Deployment.Replicas = ParseRoutes(test.label), int32(len(f.Proxies.Pods))
		if test.label == "-" {
			f.Proxies.Deployment = nil
		}
		if f.Workload.Ordinals = test.set; test.set == none {
			f.Workload = nil
		}
		for ordinal := test.servers.First; ordinal < test.servers.End(); ordinal++ {
			f.Servers[ordinal] = Server{}
		}
		if got := f.lastRoutes().String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}
