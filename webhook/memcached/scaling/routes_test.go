package scaling

import "testing"

func TestParseRoutes(t *testing.T) {
	for label, want := range map[string]Routes{
		"0-0":                     steady(Servers{0, 1}),
		"3-5":                     steady(Servers{3, 3}),
		"0-2_0-3_announcing":      {From: Servers{0, 3}, To: Servers{0, 4}, Phase: Announcing},
		"6-9_6-8_preparing":       {From: Servers{6, 4}, To: Servers{6, 3}, Phase: Preparing},
		"0-999_0-998_closing":     {From: Servers{0, 1000}, To: Servers{0, 999}, Phase: Closing},
		"0-2_3-5_warming":         {From: Servers{0, 3}, To: Servers{3, 3}, Phase: Warming},
		"3-5_6-9_preparing":       {From: Servers{3, 3}, To: Servers{6, 4}, Phase: Preparing},
		"999999998-999999999":     steady(Servers{999999998, 2}),
		"0-2_4-6_warming":         {}, // the servers after a move follow those before
		"3-5_0-2_warming":         {},
		"999999999-1000000000":    {},
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
