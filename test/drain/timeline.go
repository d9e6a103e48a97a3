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
	see := func(id, group, name string) *span {
		s := t.open[id]
		if s == nil {
			s = &span{group: group, name: name, from: now, ready: -1, to: -1}
			t.spans = append(t.spans, s)
		}
		s.end, seen[id] = now, s
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
	barsLeft, barsTop, barsWidth = 190, 68, 594
	phaseHeight, podHeight       = 26, 11
)

// draw draws a row for each phase, and a bar for each pod: pale until it is ready, and while it terminates.
func (t *timeline) draw(title string) string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	from, to := t.bounds()
	x := func(second float64) float64 { return barsLeft + barsWidth*max(second-from, 0)/max(to-from, 1) }
	var rows, lines strings.Builder
	rows.WriteString(`<text class="muted" x="16" y="54">A bar for each pod, pale while it starts and while it terminates</text>` + "\n")
	y := barsTop
	for _, group := range []string{phases, oldServers, newServers, proxies, job} {
		height, class := podHeight, "b"
		if group == phases {
			height, class = phaseHeight, "a"
		}
		first := y
		for _, s := range t.spans {
			if s.group != group || s.end < from {
				continue
			}
			bar(&rows, class, s, y, height, x)
			if group == phases {
				fmt.Fprintf(&rows, `<text x="16" y="%d">%s</text>`+"\n", y+19, s.name)
			}
			y += height
		}
		if y > first && group != phases {
			fmt.Fprintf(&rows, `<text x="16" y="%d">%s</text>`+"\n", (first+y)/2+6, group)
		}
		y += 14
	}
	for _, s := range t.spans {
		if s.group == phases {
			fmt.Fprintf(&lines, `<path class="grid" d="M%.1f %dV%d"/>`+"\n", x(s.from), barsTop, y)
		}
	}
	timeAxis(&rows, int(to-from), y+16, func(second float64) float64 { return x(second + from) })
	return picture(y+32, title, lines.String()+rows.String())
}

// bounds returns the time shortly before the first phase, and the end of everything.
func (t *timeline) bounds() (from, to float64) {
	for _, s := range slices.Backward(t.spans) {
		to = max(to, s.end+1)
		if s.group == phases {
			from = max(0, s.from-3)
		}
	}
	return from, to
}

// bar draws a span: pale where it is not ready.
func bar(b *strings.Builder, class string, s *span, y, height int, x func(float64) float64) {
	part := func(class string, from, to float64) {
		if to > from {
			fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", class, x(from), y+1, max(x(to)-x(from), 1), height-2)
		}
	}
	end := s.end + 1 // it was there until the next look
	ready, to := s.ready, s.to
	if to < 0 {
		to = end
	}
	if ready < 0 {
		ready = to
	}
	part(class+" pale", s.from, ready)
	part(class, ready, to)
	part(class+" pale", max(ready, to), end)
}
