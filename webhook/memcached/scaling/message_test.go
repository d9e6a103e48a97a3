package scaling

import (
	"strings"
	"testing"
)

// TestRoomRemedy checks that a message names spec.proxy.warmup.enabled only if it replaces pods in place.
func TestRoomRemedy(t *testing.T) {
	for label, want := range map[string]bool{
		"0-2":                false,
		"0-2_3-5_announcing": true,
		"0-2_3-5_preparing":  true,
		"0-2_3-5_warming":    false, // the items move already
		"0-2_3-5_closing":    false,
		"0-2_0-3_announcing": false, // the size changes
		"0-3_0-2_preparing":  false,
	} {
		d := Decision{Routes: ParseRoutes(label)}
		if got := cache(3, 3, label).RoomRemedy(d); (got != "") != want {
			t.Errorf("routes %s: the remedy is %q, want one: %t", label, got, want)
		}
		f := cache(3, 3, label)
		inPlace(f)
		if got := f.RoomRemedy(d); got != "" {
			t.Errorf("routes %s: spec replaces pods in place already, and the remedy is %q", label, got)
		}
	}
}

// TestProgressOfTheJob checks what the message says about the Job of a phase.
func TestProgressOfTheJob(t *testing.T) {
	done := all(cleans, created(0), func(f *Facts) { f.Job.Servers, f.Job.Done = 3, 2 })
	failed := all(done, func(f *Facts) { f.Job.Failed = true })
	ofAnotherMove := all(done, func(f *Facts) { f.Job.For = "another move" })
	cases := []struct {
		reason string
		size   int32
		label  string
		change func(*Facts)
		want   string
	}{
		{"it copies", 4, "0-2_0-3_warming", done, "2 of 3 servers are copied. The next phase begins when all are, or after 2026-11-21T12:10:00Z."},
		{"it has failed to copy", 4, "0-2_0-3_warming", failed, "The Job that copies the items has failed. The next phase begins after 2026-11-21T12:10:00Z."},
		{"it is of another move", 4, "0-2_0-3_warming", ofAnotherMove, "new servers. The next phase begins after 2026-11-21T12:10:00Z."},
		{"it cleans", 3, "0-3_0-2_announcing", done, "2 of 3 servers are cleaned."},
		{"it has failed to clean", 3, "0-3_0-2_announcing", failed, "The Job has failed. The next phase begins once it is complete."},
		{"the move is given up", 4, "0-3_0-2_announcing", done, "The change is not needed any more, and is given up after 2026-11-21T12:00:10Z."},
	}
	for _, test := range cases {
		f := cache(test.size, 4, test.label)
		test.change(f)
		if _, message := f.Progress(f.Decide()); !strings.HasSuffix(message, test.want) {
			t.Errorf("%s: the message is %q, want %q", test.reason, message, test.want)
		}
	}
}
