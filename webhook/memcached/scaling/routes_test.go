package scaling

import "testing"

func TestParseRoutes(t *testing.T) {
	for label, want := range map[string]Routes{
		"1":                {From: Servers{First, 1}, To: Servers{First, 1}},
		"3-4-announcing":   {From: Servers{First, 3}, To: Servers{First, 4}, Phase: Announcing},
		"4-3-preparing":    {From: Servers{First, 4}, To: Servers{First, 3}, Phase: Preparing},
		"1000-999-closing": {From: Servers{First, 1000}, To: Servers{First, 999}, Phase: Closing},
		"3-3b-warming":     {From: Servers{First, 3}, To: Servers{Second, 3}, Phase: Warming},
		"3b-4b-preparing":  {From: Servers{Second, 3}, To: Servers{Second, 4}, Phase: Preparing},
		"4b":               {From: Servers{Second, 4}, To: Servers{Second, 4}},
		"3b-3b-preparing":  {}, "b": {}, "3bb": {}, "3c": {}, "0b": {},
		"": {}, "0": {}, "-1": {}, "4-": {}, "4-0": {}, "4-4-warming": {}, "0-3-warming": {}, "04": {}, "4-3-2": {}, "1001": {}, "4-3-warming-": {},
		"99999999999": {}, "+4": {}, "four": {}, "4-3-cold": {}, "6-4": {}, "4-3-warming-1795263600": {}, "4-3-": {},
	} {
		if got := ParseRoutes(label); got != want {
			t.Errorf("label %q has the routes %+v, want %+v", label, got, want)
		}
	}
}
