package paired

import (
	"context"
	"strings"
)

// Kept is how many items each cache has at the end, and how many items both have.
type Kept struct{ Changed, Control, Both int }

// Share returns the share of the items of the control that the changed cache has.
func (k Kept) Share() float64 { return float64(k.Both) / float64(max(k.Control, 1)) }

// Kept counts the items that clients use, and those that no client has ever read, without those that count apart. No client
// may run.
func (l *Load) Kept(ctx context.Context) (used, unread Kept, err error) {
	var has [Caches][]bool
	for cache := range Caches {
		if has[cache], err = l.found(ctx, cache); err != nil {
			return used, unread, err
		}
	}
	for item := range l.states {
		if l.Apart(item) {
			continue
		}
		kept := &used
		if item%2 == 1 {
			kept = &unread
		}
		if has[Changed][item] {
			kept.Changed++
		}
		if has[Control][item] {
			kept.Control++
			if has[Changed][item] {
				kept.Both++
			}
		}
	}
	return used, unread, nil
}

// found returns which items a cache has with their last version.
func (l *Load) found(ctx context.Context, cache int) ([]bool, error) {
	w := &worker{Load: l, ctx: ctx}
	w.conns[cache] = &connection{to: l.To[cache]}
	defer w.conns[cache].close()
	has := make([]bool, len(l.states))
	var commands strings.Builder
	first := 0
	for item := range l.states {
		commands.WriteString("mg " + KeyOf(item) + " k v\r\n")
		if item-first < 199 && item < len(l.states)-1 {
			continue
		}
		versions := w.get(cache, "mg at the end", commands.String(), item-first+1)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		commands.Reset()
		first = item + 1
		for item, version := range versions {
			s := l.state(item)
			if s&isUncertain == 0 && (version != s.version() || s&isDeleted != 0) {
				l.reportOld("mg at the end", cache, item, version, s)
				continue
			}
			has[item] = true
		}
	}
	return has, nil
}
