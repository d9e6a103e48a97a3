package moves

import "testing"

func TestParseRoutes(t *testing.T) {
	servers := func(first, count int32) Pool { return poolOf(Range{first, count}) }
	spared := poolOf(Range{3, 3}).withSpare(Spare{4, 6})
	for label, want := range map[string]Routes{
		"0-0":                     steadyRoutes(servers(0, 1)),
		"3-5":                     steadyRoutes(servers(3, 3)),
		"0-2_0-3_announcing":      {Move{servers(0, 3), servers(0, 4)}, Announcing},
		"6-9_6-8_preparing":       {Move{servers(6, 4), servers(6, 3)}, Preparing},
		"0-999_0-998_closing":     {Move{servers(0, 1000), servers(0, 999)}, Closing},
		"0-2_3-5_warming":         {Move{servers(0, 3), servers(3, 3)}, Warming},
		"3-5_6-9_preparing":       {Move{servers(3, 3), servers(6, 4)}, Preparing},
		"3-5.4":                   steadyRoutes(spared),
		"3-5_3-5.4_announcing":    {Move{servers(3, 3), spared}, Announcing},
		"3-5.4_3-5_warming":       {Move{spared, servers(3, 3)}, Warming},
		"3-5.4_7-8_closing":       {Move{spared, servers(7, 2)}, Closing},
		"3-5.4_6-8_closing":       {}, // 6 is the spare
		"3-5_3-6.4_warming":       {}, // only one slot moves
		"3-5.4_3-5.5_warming":     {}, // 6 has the slot of 4
		"3-5.4_3-5.5-1_warming":   {Move{spared, servers(3, 3).withSpare(Spare{5, 7})}, Warming},
		"3-5.4_3-5.4-1_warming":   {Move{spared, servers(3, 3).withSpare(Spare{4, 7})}, Warming},
		"3-5.4_3-5.4.5-1_closing": {Move{spared, spared.withSpare(Spare{5, 7})}, Closing},
		"3-5_3-6.6_warming":       {Move{servers(3, 3), servers(3, 4).withSpare(Spare{6, 7})}, Warming}, // 6 does not respond
		"3-5_6-8.7_warming":       {Move{servers(3, 3), servers(6, 3).withSpare(Spare{7, 9})}, Warming},
		"3-5.4.4-1":               {},
		"3-5.5.4-1":               {},
		"3-5.4-0":                 {},
		"3-5.4-100":               {},
		"3-5.4-2147483647":        {}, // the ordinal would be negative
		"3-5.3.4-1.5-1":           {},
		"3-5.4_3-6.4_warming":     {}, // its ordinal would change
		"3-5.6":                   {},
		"3-5.04":                  {},
		"999998000-999998001":     steadyRoutes(servers(999998000, 2)),
		"0-2_4-6_warming":         {}, // the servers after a move follow those before
		"3-5_0-2_warming":         {},
		"999998001-999998002":     {}, // its spares could have ten digits
		"0-1000":                  {},
		"3-2":                     {},
		"03-05":                   {},
		"0-2_0-2_warming":         {},
		"0-2_0-3":                 {},
		"0-2_0-3_":                {},
		"0-2_0-3_cold":            {},
		"0-2_0-3_warming_":        {},
		"0-2_0-3_warming_1795263": {},
		"99999999999-99999999999": {},
		"":                        {}, "0": {}, "3": {}, "-1": {}, "0-": {}, "0-2_": {}, "+0-2": {}, "a-b": {},
	} {
		if got := ParseRoutes(label); got != want {
			t.Errorf("label %q has the routes %+v, want %+v", label, got, want)
		}
	}
}

// TestLastOrdinals checks that every decision near the last ordinals has a label that is read as it was written: otherwise the next decision
// has the routes before, and so on for ever.
func TestLastOrdinals(t *testing.T) {
	for _, first := range []int32{MaxFirst - 3, MaxFirst - 2, MaxFirst} {
		for _, edit := range []func(*Facts){
			func(*Facts) {},
			func(f *Facts) { f.Size = 4 },
			func(f *Facts) { f.Proxies.Warmup = 0 },
			func(f *Facts) { f.Workload = nil },
			func(f *Facts) { f.Proxies, f.Status.Proxy = Proxies{Desired: true, Replicas: 2}, nil },
			func(f *Facts) { f.Workload, f.Proxies, f.Status.Proxy = nil, Proxies{Desired: true, Replicas: 2}, nil },
			func(f *Facts) {
				f.Workload.Ordinals.Count, f.Proxies.Pods, f.Proxies.Deployment.Replicas = 0, nil, 0
				f.Servers = map[int32]Server{first + 2: {State: ServerStuck}}
			},
			func(f *Facts) {
				f.Workload, f.Proxies, f.Status.Proxy = nil, Proxies{Desired: true, Replicas: 2}, nil
				f.Servers = map[int32]Server{MaxFirst + 1: {State: ServerReady}}
			},
		} {
			f := factsOf(3, 3, steadyRoutes(poolOf(Range{first, 3})).String())
			f.Workload.Ordinals.First = first
			f.Servers = map[int32]Server{}
			for ordinal := first; ordinal < first+3; ordinal++ {
				f.Servers[ordinal] = Server{State: ServerReady}
			}
			edit(f)
			d := f.Decide()
			if text := d.Routes.String(); ParseRoutes(text) != d.Routes || d.Ordinals.End()-1 > MaxOrdinal {
				t.Errorf("the label %s after %d is read as %s, with servers %s", text, first, ParseRoutes(text), d.Ordinals)
			}
		}
	}
}
