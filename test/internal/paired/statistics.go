package paired

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// The two caches.
const (
	Changed = iota
	Control
	Caches
)

// Second has the reads of items that exist and that nobody writes meanwhile, and how many of them each cache found.
type Second struct {
	Reads int
	Hits  [Caches]int
}

func (s *Second) add(other Second) {
	s.Reads += other.Reads
	for cache := range Caches {
		s.Hits[cache] += other.Hits[cache]
	}
}

// Ratio returns the hit ratio of a cache in percent.
func (s Second) Ratio(cache int) float64 {
	return 100 * float64(s.Hits[cache]) / float64(max(s.Reads, 1))
}

// Behind returns by how many percentage points the hit ratio of the changed cache is below that of the control.
func (s Second) Behind() float64 { return s.Ratio(Control) - s.Ratio(Changed) }

// Total returns the sum of seconds.
func Total(seconds []Second) (total Second) {
	for _, each := range seconds {
		total.add(each)
	}
	return total
}

// Worst returns the index of the second with the largest difference, of those with enough reads, or -1.
func Worst(seconds []Second, minReads int) int {
	worst := -1
	for i, each := range seconds {
		if each.Reads >= minReads && (worst < 0 || each.Behind() > seconds[worst].Behind()) {
			worst = i
		}
	}
	return worst
}

// Count counts the commands of one name: those that a cache got, those with an error as response, and those whose connection closed
// before the response, so that the client sent them again.
type Count struct{ Sent, Errors, Repeated [Caches]int }

// maxProblems limits the memory for problems. The first ones explain the others.
const maxProblems = 100

// Statistics are the results of a load.
type Statistics struct {
	mutex    sync.Mutex
	start    time.Time
	seconds  []Second
	all      []Second // with the items that count apart
	counts   map[string]*Count
	problems []string
	bad      map[string]int
	apart    func(item int) bool
	writes   []Write
}

// Write is a write of an item that counts apart.
type Write struct {
	At     time.Time
	Failed bool
}

// SetApart sets of which items each write is recorded, and neither a read nor a kept item counts.
func (s *Statistics) SetApart(apart func(item int) bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.apart, s.writes = apart, nil
}

// Apart reports whether an item counts apart.
func (s *Statistics) Apart(item int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.apart != nil && s.apart(item)
}

// Writes returns the writes of the items that count apart to the changed cache.
func (s *Statistics) Writes() []Write {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.writes)
}

// record records a write, except for one that did not end before the load.
func (w *worker) record(cache, item int, result outcome) {
	s := w.Statistics
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if cache == Changed && w.ctx.Err() == nil && s.apart != nil && s.apart(item) {
		s.writes = append(s.writes, Write{time.Now(), result == failed})
	}
}

// The kinds of values that no client may read.
const (
	OldValue     = "old values"
	DeletedValue = "deleted values"
	WrongValue   = "wrong values"
)

// Kinds are the kinds of values that no client may read.
var Kinds = []string{OldValue, DeletedValue, WrongValue}

func newStatistics() *Statistics {
	return &Statistics{start: time.Now(), counts: map[string]*Count{}, bad: map[string]int{}}
}

// Seconds returns the seconds since the start of the load. The last one may not be complete.
func (s *Statistics) Seconds() []Second {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.seconds)
}

// AllSeconds returns the seconds with the reads of the items that count apart too.
func (s *Statistics) AllSeconds() []Second {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.all)
}

// Counts returns the counts by the name of the command.
func (s *Statistics) Counts() map[string]*Count {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.counts)
}

// Problems returns the first problems.
func (s *Statistics) Problems() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.problems)
}

// Bad returns how many values of a kind clients have read.
func (s *Statistics) Bad(kind string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.bad[kind]
}

func (s *Statistics) report(kind, format string, args ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bad[kind]++
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, kind+": "+fmt.Sprintf(format, args...))
	}
}

func (s *Statistics) count(command string, cache, sent int, repeated bool, failed []response) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.counts[command] == nil {
		s.counts[command] = &Count{}
	}
	c := s.counts[command]
	c.Sent[cache] += sent
	if repeated {
		c.Repeated[cache] += sent
	}
	for _, each := range failed {
		if c.Errors[cache]++; len(s.problems) < maxProblems {
			s.problems = append(s.problems, fmt.Sprintf("%s: %.100q", command, each.line))
		}
	}
}

// addReads adds the reads of a time to its second: those that count, and all.
func (s *Statistics) addReads(at time.Time, counting, all Second) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := int(max(0, at.Sub(s.start)) / time.Second)
	for len(s.seconds) <= now {
		s.seconds, s.all = append(s.seconds, Second{}), append(s.all, Second{})
	}
	s.seconds[now].add(counting)
	s.all[now].add(all)
}
