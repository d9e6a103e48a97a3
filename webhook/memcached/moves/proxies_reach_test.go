package moves

import "testing"

// TestUnreached checks when a rollout of the proxies may replace all of them, and no decision waits for them.
func TestUnreached(t *testing.T) {
	for _, test := range []struct {
		reason, routes string
		ready          []int32
		want           bool
	}{
		{"one of three servers is ready", "0-2", []int32{1}, false},
		{"no server is ready", "0-2", nil, true},
		{"only a server is ready that proxies do not use yet", "0-1_0-2_announcing", []int32{2}, true},
		{"a server keeps most of its keys", "0-1_0-2_warming", []int32{0}, false},
		{"only the new server is ready, and its keys were on others", "0-1_0-2_warming", []int32{2}, true},
		{"the removed server and another one are ready", "0-2_0-1_closing", []int32{1, 2}, false},
		{"all new servers fail while items move", "0-1_2-3_closing", []int32{0, 1}, true},
		{"servers of different slots are ready", "0-1_2-3_preparing", []int32{0, 3}, true},
		{"both servers of a slot are ready", "0-1_2-3_preparing", []int32{1, 3}, false},
		{"the others keep their keys while one slot moves", "0-1_0-1.0_warming", []int32{1}, false},
	} {
		facts := factsOf(2, 2, test.routes)
		facts.Servers = map[int32]Server{}
		for _, ordinal := range test.ready {
			facts.Servers[ordinal] = Server{State: ServerReady}
		}
		if got := !facts.reaches(ParseRoutes(test.routes)); got != test.want {
			t.Errorf("%s: unreached %t, want %t", test.reason, got, test.want)
		}
		busy(facts)
		if got := facts.situation().rolloutEnded(); got != test.want {
			t.Errorf("%s: the move goes on without available proxies: %t, want %t", test.reason, got, test.want)
		}
	}
}
