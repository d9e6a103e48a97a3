//go:build servers

package servers

import (
	"cmp"
	"fmt"
	"testing"
)

// fullResult is what a change cost.
type fullResult struct {
	name      string
	seconds   []second
	phases    []phaseStart
	evictions [caches]int
	items     [caches]int // at the end
	kept      int         // items of the control that the changed cache has too
}

const (
	fullHeader = "proxy: full servers          items  control     kept           hits  control  worst second                                     evicted  control  old  deleted"
	fullRow    = "proxy: %-18s %8d %8d %8d %6.2f%% %6.2f%% %7.2f%% %+6.2f points (%-35s) %8d %8d %4d %8d\n"
)

// count counts items at the end, when no client runs.
func (r *fullResult) count(t *testing.T, l *pairedLoad) {
	has := [caches][]bool{l.found(t, changed), l.found(t, control)}
	for key := range l.keys {
		for cache := range caches {
			if has[cache][key] {
				r.items[cache]++
			}
		}
		if has[changed][key] && has[control][key] {
			r.kept++
		}
	}
}

// worst returns the second or the phase with the largest difference to the control, and its name.
func (r *fullResult) worst(perPhase bool) (worst second, name string) {
	phases := make([]second, len(r.phases))
	for i, each := range r.seconds {
		at := len(r.phases) - 1
		for at > 0 && r.phases[at].second > i {
			at--
		}
		phases[at].add(each)
		if !perPhase && each.reads >= minReads && (worst.reads == 0 || each.behind() > worst.behind()) {
			worst, name = each, fmt.Sprintf("second %d of %d, %s", i, len(r.seconds), cmp.Or(r.phases[at].phase, "steady"))
		}
	}
	for i, each := range phases {
		if perPhase && each.reads >= minReads && (worst.reads == 0 || each.behind() > worst.behind()) {
			worst, name = each, string(cmp.Or(r.phases[i].phase, "steady"))
		}
	}
	return worst, name
}

func (r *fullResult) check(t *testing.T, l *pairedLoad, minKept float64) {
	t.Helper()
	var total second
	for _, each := range r.seconds {
		total.add(each)
	}
	share := float64(r.kept) / float64(max(r.items[control], 1))
	worst, name := r.worst(false)
	fmt.Printf(fullRow, r.name, r.items[changed], r.items[control], r.kept, 100*share, total.ratio(changed), total.ratio(control), -worst.behind(),
		fmt.Sprintf("%s, %d reads", name, worst.reads), r.evictions[changed], r.evictions[control], l.old, l.deleted)
	for i, each := range l.errors[:min(5, len(l.errors))] {
		t.Errorf("error %d of %d: %s", i+1, len(l.errors), each)
	}
	if !*full { // a second has too few reads
		worst, name = r.worst(true)
	}
	if worst.behind() > maxBehind {
		t.Errorf("%s: the hit ratio is %.2f points below that of the control: %+v", name, worst.behind(), worst)
	}
	if share < minKept {
		t.Errorf("%.2f%% of the items of the control are kept, want %.0f%%", 100*share, 100*minKept)
	}
	if worst.reads == 0 || r.evictions[control] == 0 || l.deletions.Load() == 0 {
		t.Errorf("the test does not test: no %d reads, or no evictions of the control (%d), or no deletions (%d)", minReads, r.evictions[control], l.deletions.Load())
	}
}
