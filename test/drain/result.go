package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/text"
)

// minReads is the number of reads from which a second counts.
const minReads = 500

// goals are what a run must reach.
type goals struct{ minKept, maxBehind float64 }

// missed returns the goals that a run missed.
func (g goals) missed(used, unread paired.Kept, worst paired.Second, bad func(kind string) int) (errs []error) {
	for name, kept := range map[string]paired.Kept{"that clients use": used, "that no client reads": unread} {
		if kept.Share() < g.minKept {
			errs = append(errs, fmt.Errorf("%.2f%% of the items %s are kept, want %.2f%%", 100*kept.Share(), name, 100*g.minKept))
		}
	}
	if worst.Behind() > g.maxBehind {
		errs = append(errs, fmt.Errorf("a second is %.2f points below the control, want at most %.2f", worst.Behind(), g.maxBehind))
	}
	for _, kind := range paired.Kinds {
		if n := bad(kind); n > 0 {
			errs = append(errs, fmt.Errorf("%d %s", n, kind))
		}
	}
	return errs
}

// step is a part of the run.
type step struct {
	name  string
	start time.Time
}

// steps are the parts of the run so far.
type steps struct {
	mutex sync.Mutex
	all   []step
}

func (s *steps) begin(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all = append(s.all, step{name, time.Now()})
}

// firstAction returns the second in which the first action begins. Before it, the load needs some seconds to become steady, and nothing
// happens to either cache.
func firstAction(steps []step, seconds int) int {
	if len(steps) < 2 {
		return 0
	}
	return max(0, min(seconds-1, int(steps[1].start.Sub(steps[0].start).Seconds())))
}

// worst returns the worst second of each step.
func (s *steps) worst(seconds []paired.Second) (worst []paired.Second) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	second := func(i int) int {
		if i == len(s.all) {
			return len(seconds)
		}
		return min(len(seconds), int(s.all[i].start.Sub(s.all[0].start)/time.Second))
	}
	for i := range s.all {
		part, of := seconds[second(i):second(i+1)], paired.Second{}
		if at := paired.Worst(part, minReads); at >= 0 {
			of = part[at]
		}
		worst = append(worst, of)
	}
	return worst
}

// at returns the name of the step at a time.
func (s *steps) at(when time.Time) (name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, each := range s.all {
		if name == "" || !each.start.After(when) {
			name = each.name
		}
	}
	return name
}

// result prints what a load has measured.
type result struct {
	*paired.Load
	steps *steps
}

// printSeconds prints each second when it is complete.
func (r *result) printSeconds(ctx context.Context) (stop func()) {
	printed, start := 0, time.Now()
	fmt.Printf("%6s %-20s %7s %8s %8s %7s\n", "second", "step", "reads", "hits", "control", "behind")
	return inBackground(ctx, time.Second, func(context.Context) {
		all := r.Seconds()
		for ; printed < len(all)-1; printed++ {
			s := all[printed]
			fmt.Printf("%6d %-20s %7d %7.2f%% %7.2f%% %7.2f\n", printed, r.steps.at(start.Add(time.Duration(printed)*time.Second)), s.Reads, s.Ratio(paired.Changed), s.Ratio(paired.Control), s.Behind())
		}
	})
}

// finish prints the summary, and returns the goals that are missed.
func (r *result) finish(ctx context.Context, g goals) error {
	seconds, end := r.Seconds(), time.Now()
	used, unread, err := r.Kept(ctx)
	if err != nil {
		return fmt.Errorf("count the items: %w", err)
	}
	r.printCounts()
	for _, each := range r.Problems()[:min(10, len(r.Problems()))] {
		fmt.Println("problem:", text.Lines(each))
	}
	fmt.Printf("\n%-20s %8s %28s\n", "step", "time", "points of its worst second")
	worstOf := r.steps.worst(seconds)
	for i, each := range r.steps.all {
		until := end
		if i+1 < len(r.steps.all) {
			until = r.steps.all[i+1].start
		}
		fmt.Printf("%-20s %6.1f s %28.2f\n", each.name, until.Sub(each.start).Seconds(), worstOf[i].Behind())
	}
	total := paired.Total(seconds)
	fmt.Printf("hit ratio            %6.2f%%, of the control %.2f%%\n", total.Ratio(paired.Changed), total.Ratio(paired.Control))
	var worst paired.Second
	from := firstAction(r.steps.all, len(seconds))
	if i := paired.Worst(seconds[from:], minReads); i >= 0 {
		worst = seconds[from+i]
		fmt.Printf("worst second         %6.2f points below the control, second %d of %d\n", worst.Behind(), from+i, len(seconds))
	}
	for _, kept := range []struct {
		name string
		paired.Kept
	}{{"kept, used", used}, {"kept, never read", unread}} {
		fmt.Printf("%-20s %6.2f%%, %d of the %d items of the control\n", kept.name, 100*kept.Share(), kept.Both, kept.Control)
	}
	for _, kind := range paired.Kinds {
		fmt.Printf("%-20s %6d\n", kind, r.Bad(kind))
	}
	return errors.Join(g.missed(used, unread, worst, r.Bad)...)
}

// printCounts prints the number of commands of each name.
func (r *result) printCounts() {
	fmt.Printf("\n%-20s %19s %19s %19s\n", "command", "sent, of control", "errors, of control", "repeated, of control")
	counts := r.Counts()
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		var b strings.Builder
		for _, each := range [][paired.Caches]int{c.Sent, c.Errors, c.Repeated} {
			fmt.Fprintf(&b, " %9d %9d", each[paired.Changed], each[paired.Control])
		}
		fmt.Printf("%-20s%s\n", name, &b)
	}
}
