package paired

import (
	"fmt"
	"strings"
	"time"
)

// reads are the commands that read, with the text of a command for one item. mget reads all items by one command.
var reads = []struct{ name, text string }{
	{"get", "get %s\r\n"}, {"gets", "gets %s\r\n"}, {"mget", ""}, {"gat", "gat 0 %s\r\n"}, {"mg", "mg %s k v\r\n"}, {"mg -t", "mg %s k c v T0\r\n"},
}

func readCommands(name, text string, items []int) string {
	var b strings.Builder
	for i, item := range items {
		switch {
		case name != "mget":
			fmt.Fprintf(&b, text, KeyOf(item))
		case i == 0:
			b.WriteString("get " + KeyOf(item))
		default:
			b.WriteString(" " + KeyOf(item))
		}
	}
	if name == "mget" {
		b.WriteString("\r\n")
	}
	return b.String()
}

// get returns the version of each item that a cache has.
func (w *worker) get(cache int, name, commands string, sent int) map[int]uint64 {
	responses, repeated, err := w.conns[cache].do(w.ctx, commands)
	if err != nil { // the load ends
		return nil
	}
	found := map[int]uint64{}
	var failed []response
	for _, each := range responses {
		switch {
		case each.key != "":
			item, known := itemOf(each.key)
			version, ok := uint64(0), false
			if known && item < len(w.states) {
				version, ok = w.sizes.versionOf(item, each.value)
			}
			if !ok {
				w.report(WrongValue, "%s returned for %s %.60q", name, each.key, each.value)
				continue
			}
			found[item] = version
		case !isMiss(each):
			failed = append(failed, each)
		}
	}
	w.count(name, cache, sent, repeated, failed)
	return found
}

// read reads items from both caches, and asks for those that are missing to be stored again.
func (w *worker) read(items []int) {
	kind := reads[w.random.IntN(len(reads))]
	commands, sent := readCommands(kind.name, kind.text, items), len(items)
	if kind.name == "mget" {
		sent = 1
	}
	before := make([]state, len(items))
	for i, item := range items {
		before[i] = w.state(item)
	}
	at := time.Now()
	var found [Caches]map[int]uint64
	for cache := range Caches {
		if found[cache] = w.get(cache, kind.name, commands, sent); found[cache] == nil {
			return
		}
	}
	counting, all := w.verify(kind.name, items, before, found)
	w.addReads(at, counting, all)
}

// verify reports old values, and counts the reads of items that nobody has written meanwhile: those that do not count apart,
// and all.
func (w *worker) verify(name string, items []int, before []state, found [Caches]map[int]uint64) (counting, all Second) {
	for i, item := range items {
		var hits [Caches]int
		for cache := range Caches {
			version, hit := found[cache][item]
			switch exists := before[i]&isDeleted == 0; {
			case hit && before[i].isOld(version):
				w.reportOld(name, cache, item, version, before[i])
			case hit && exists:
				hits[cache] = 1
			case !hit && exists:
				w.missed[writer(item)].add(cache, item)
			}
		}
		if before[i]&(isDeleted|isWritten) == 0 && before[i] == w.state(item) {
			all.add(Second{1, hits})
			if !w.Apart(item) {
				counting.add(Second{1, hits})
			}
		}
	}
	return counting, all
}

func (l *Load) reportOld(name string, cache, item int, version uint64, before state) {
	kind := OldValue
	if before&isDeleted != 0 {
		kind = DeletedValue
	}
	cacheName := [Caches]string{"the cache", "the control"}[cache]
	l.report(kind, "%s of %s: %s returned version %d, but %d is acknowledged", name, KeyOf(item), cacheName, version, before.version())
}

// isMiss reports whether a read found nothing: END, or EN with flags of the command.
func isMiss(r response) bool { return r.line == "END" || strings.HasPrefix(r.line+" ", "EN ") }
