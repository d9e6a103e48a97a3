//go:build servers

package servers

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/example/memcached-operator/test/internal/paired"
)

// fullResult is what a change cost.
type fullResult struct {
	name      string
	seconds   []paired.Second
	phases    []phaseStart
	evictions [paired.Caches]int
	items     [paired.Caches]int // at the end
	kept      int                // items of the control that the changed cache has too
}

const (
	fullHeader = "proxy: full servers          items  control     kept           hits  control  worst second                                     evicted  control  old  deleted"
	fullRow    = "proxy: %-18s %8d %8d %8d %6.2f%% %6.2f%% %7.2f%% %+6.2f points (%-35s) %8d %8d %4d %8d\n"
)

// count counts items at the end, when no client runs.
func (r *fullResult) count(t *testing.T, l *paired.Load) {
	used, unread, err := l.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.items[paired.Changed], r.items[paired.Control] = used.Changed+unread.Changed, used.Control+unread.Control
	r.kept = used.Both + unread.Both
}

// worst returns the second or the phase with the largest difference to the control, and its name.
func (r *fullResult) worst(perPhase bool) (worst paired.Second, name string) {
	phases := make([]paired.Second, len(r.phases))
	for i, each := range r.seconds {
		at := len(r.phases) - 1
		for at > 0 && r.phases[at].second > i {
			at--
		}
		phases[at] = paired.Total([]paired.Second{phases[at], each})
		if !perPhase && each.Reads >= minReads && (worst.Reads == 0 || each.Behind() > worst.Behind()) {
			worst, name = each, fmt.Sprintf("second %d of %d, %s", i, len(r.seconds), cmp.Or(r.phases[at].phase, "steady"))
		}
	}
	for i, each := range phases {
		if perPhase && each.Reads >= minReads && (worst.Reads == 0 || each.Behind() > worst.Behind()) {
			worst, name = each, string(cmp.Or(r.phases[i].phase, "steady"))
		}
	}
	return worst, name
}

func (r *fullResult) check(t *testing.T, l *paired.Load, minKept float64) {
	t.Helper()
	total := paired.Total(r.seconds)
	share := float64(r.kept) / float64(max(r.items[paired.Control], 1))
	worst, name := r.worst(false)
	fmt.Printf(fullRow, r.name, r.items[paired.Changed], r.items[paired.Control], r.kept, 100*share, total.Ratio(paired.Changed), total.Ratio(paired.Control), -worst.Behind(),
		fmt.Sprintf("%s, %d reads", name, worst.Reads), r.evictions[paired.Changed], r.evictions[paired.Control], l.Bad(paired.OldValue), l.Bad(paired.DeletedValue))
	deletions := l.Counts()["delete"].Sent[paired.Changed]
	problems := l.Problems()
	for i, each := range problems[:min(5, len(problems))] {
		t.Errorf("problem %d of at least %d: %s", i+1, len(problems), each)
	}
	if !*full { // a second has too few reads
		worst, name = r.worst(true)
	}
	if worst.Behind() > maxBehind {
		t.Errorf("%s: the hit ratio is %.2f points below that of the control: %+v", name, worst.Behind(), worst)
	}
	if share < minKept {
		t.Errorf("%.2f%% of the items of the control are kept, want %.0f%%", 100*share, 100*minKept)
	}
	if worst.Reads == 0 || r.evictions[paired.Control] == 0 || deletions == 0 {
		t.Errorf("the test does not test: no %d reads, or no evictions of the control (%d), or no deletions (%d)", minReads, r.evictions[paired.Control], deletions)
	}
}
