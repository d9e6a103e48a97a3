package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/example/memcached-operator/webhook/memcached/children"
)

// span is a phase, or a pod: from when it exists, is ready and terminates, until it is gone. Times are seconds since the start.
type span struct {
	group, name          string
	from, ready, to, end float64
}

// The groups of spans.
const (
	phases, oldServers, newServers, proxies, job = "phase", "old servers", "new servers", "proxies", "Job"
)

// timeline is which phases and pods of a cache there were, as the API server shows them each second.
type timeline struct {
	mutex sync.Mutex
	start time.Time
	spans []*span
	open  map[string]*span // those of the last look, by UID or phase
}

// record looks at a cache each second, until stop is called.
func (t *timeline) record(ctx context.Context, c *cluster) (stop func()) {
	t.start = time.Now()
	return inBackground(ctx, time.Second, func(ctx context.Context) {
		m, err := c.memcached(ctx)
		var list corev1.PodList
		if err != nil || c.get(ctx, &list, "pods") != nil {
			return
		}
		phase := ""
		if m.Status.Proxy != nil && m.Status.Proxy.Move != nil {
			phase = string(m.Status.Proxy.Move.Phase)
		}
		t.look(time.Since(t.start).Seconds(), c.name, phase, list.Items)
	})
}

// look adds what there is at a time.
func (t *timeline) look(now float64, cache, phase string, pods []corev1.Pod) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	seen := map[string]*span{}
	for _, s := range t.open {
		s.end = now // of those that are gone, too: they ended since the last look
	}
	see := func(id, group, name string) *span {
		s := t.open[id]
		if s == nil {
			s = &span{group: group, name: name, from: now, ready: -1, to: -1, end: now}
			t.spans = append(t.spans, s)
		}
		seen[id] = s
		return s
	}
	if phase != "" {
		s := see(phase, phases, phase)
		s.ready = s.from
	}
	for _, pod := range pods {
		group := groupOf(pod, cache)
		if group == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		if group == oldServers && t.open != nil {
			group = newServers
		}
		s := see(string(pod.UID), group, pod.Name)
		if s.ready < 0 && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}) {
			s.ready = now
		}
		if s.to < 0 && pod.DeletionTimestamp != nil {
			s.to = now
		}
	}
	t.open = seen
}

// groupOf returns the group of a pod of a cache; "" for the pods of others.
func groupOf(pod corev1.Pod, cache string) string {
	switch cache {
	case pod.Labels[children.ProxyLabel]:
		return proxies
	case pod.Labels[children.MoveLabel]:
		return job
	case pod.Labels[children.NameLabel]:
		return oldServers
	}
	return ""
}

// The plot of a timeline in pixels.
const (
	barsLeft, barsTop, barsWidth = 190, 90, 594
	phaseHeight, podHeight       = 26, 11
)

// colors are the classes of the groups, from top to bottom.
var colors = [][2]string{{phases, "muted"}, {oldServers, "c"}, {newServers, "a"}, {proxies, "d"}, {job, "e"}}

// draw draws a row and a column for each phase, and a bar for each pod: pale until it is ready, and while it terminates. Second 0 is that of the
// first action.
func (t *timeline) draw(title string, steps []step) string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var action, to float64
	if len(steps) > 1 {
		action = steps[1].start.Sub(t.start).Seconds()
	}
	for _, s := range t.spans {
		to = max(to, s.end)
	}
	const before = 3
	from := action - before
	x := func(second float64) float64 { return barsLeft + barsWidth*max(second-from, 0)/max(to-from, 1) }
	var rows, columns strings.Builder
	fmt.Fprintf(&rows, `<text class="muted" font-size="16" x="16" y="54">Each colored bar is a pod, faded while it starts or terminates</text>`+"\n")
	y := barsTop
	for _, group := range colors {
		y = t.drawGroup(&rows, group[0], group[1], y, from, x) + 14
	}
	for _, s := range t.spans {
		if s.group == phases && s.end > from {
			fmt.Fprintf(&columns, `<rect class="shade" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", x(s.from)+1, barsTop, x(s.end)-x(s.from)-2, y-barsTop)
		}
	}
	drawMarks(&rows, steps, barsTop, y, barsTop-6, func(second float64) float64 { return x(second + steps[0].start.Sub(t.start).Seconds()) })
	timeAxis(&rows, -before, int(to-action), y+16, func(second float64) float64 { return x(second + action) })
	return picture(y+32, title, columns.String()+rows.String())
}

// drawGroup draws the bars of a group, and returns where it ends.
func (t *timeline) drawGroup(b *strings.Builder, group, class string, y int, from float64, x func(float64) float64) int {
	first, height := y, podHeight
	if group == phases {
		height = phaseHeight
	}
	for _, s := range t.spans {
		if s.group != group || s.end < from {
			continue
		}
		bar(b, class, s, y, height, x)
		if group == phases {
			fmt.Fprintf(b, `<text x="16" y="%d">%s</text>`+"\n", y+19, s.name)
		}
		y += height
	}
	if y > first && group != phases {
		fmt.Fprintf(b, `<text class="%s name" x="16" y="%d">%s</text>`+"\n", class, (first+y)/2+6, group)
	}
	return y
}

// bar draws a span: pale where it is not ready.
func bar(b *strings.Builder, class string, s *span, y, height int, x func(float64) float64) {
	part := func(class string, from, to float64) {
		if to > from {
			fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", class, x(from), y+1, max(x(to)-x(from), 1), height-2)
		}
	}
	ready, to := s.ready, s.to
	if to < 0 {
		to = s.end
	}
	if ready < 0 {
		ready = to
	}
	part(class+" pale", s.from, ready)
	part(class, ready, to)
	part(class+" pale", max(ready, to), s.end)
}
