package walk

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// This file has what manifests/docs/change.md promises: which proxies know which servers, and where each item is.

// proxies returns the proxies that may run, without those of a deleted Memcached.
func (m *metacontroller) proxies() (found []*pod) {
	for _, p := range m.pods {
		if p.routes != (routes{}) && !p.CreationTimestamp.Time.Before(m.parent.created) && (p.DeletionTimestamp == nil || !p.Status.StartTime.IsZero()) {
			found = append(found, p)
		}
	}
	return found
}

// serves reports whether memcached runs in a pod, also while it is being deleted.
func (p *pod) serves() bool {
	return len(p.Status.ContainerStatuses) > 0 && p.Status.ContainerStatuses[0].State.Running != nil
}

// cold reports whether spec lets items not move, so that servers are replaced in place, and a phase may be left out.
func cold(p *parent) bool {
	spec := decoded[v1alpha1.MemcachedSpec](p.spec)
	return spec.Proxy == nil || spec.Proxy.Warmup.Enabled != nil && !*spec.Proxy.Warmup.Enabled
}

// mustKeepPromises checks a write that follows from an observed parent. before and after are nil if the child does not exist.
func (m *metacontroller) mustKeepPromises(before, after *object, p *parent) {
	switch child := cmp.Or(after, before); {
	case before == after:
	case child.key() == "StatefulSet/"+name && before != nil:
		m.mustKeepServers(before, after, cold(p))
	case child.key() == "Deployment/"+name+"-proxy" && after != nil && after.number("spec", "replicas") > 0:
		m.mustBeNeighbours(routesIn(m.templateOf(after).Annotations), cold(p))
	}
}

// mustKeepServers checks that no server that a running proxy knows is removed or replaced. Without a warm-up, and without items, servers are
// replaced in place.
func (m *metacontroller) mustKeepServers(before, after *object, cold bool) {
	for _, p := range m.pods {
		ordinal, err := strconv.Atoi(strings.TrimPrefix(p.Name, name+"-"))
		if err != nil || p.owner != before.GetUID() || p.DeletionTimestamp != nil || m.ends(before, p, ordinal) || !m.ends(after, p, ordinal) {
			continue
		}
		if contains(after, ordinal) && (cold || !p.serves()) {
			continue
		}
		for _, proxy := range m.proxies() {
			must(!proxy.routes.knows(ordinal), "no server that a running proxy knows is removed or replaced: %s, known by %s with %v", p.Name, proxy.Name, proxy.routes)
		}
	}
}

// ends reports whether the StatefulSet controller removes or replaces a pod.
func (m *metacontroller) ends(o *object, p *pod, ordinal int) bool {
	if !contains(o, ordinal) {
		return true
	}
	kept := int(o.number("spec", "ordinals", "start") + o.number("spec", "updateStrategy", "rollingUpdate", "partition"))
	return ordinal >= kept && p.revision != m.templateOf(o).revision
}

func contains(o *object, ordinal int) bool {
	if o == nil {
		return false
	}
	start := int(o.number("spec", "ordinals", "start"))
	return ordinal >= start && ordinal < start+int(o.number("spec", "replicas"))
}

// mustBeNeighbours checks that proxies with new routes and those that may run are in two neighbouring phases.
func (m *metacontroller) mustBeNeighbours(next routes, cold bool) {
	seen := map[routes]bool{next.known(): true}
	for _, p := range m.proxies() {
		seen[p.routes.known()] = true
		must(cold || next.mayRunBeside(p.routes), "only proxies of neighbouring phases run: %v and %v", p.routes, next)
	}
	must(len(seen) <= 2, "proxies of at most two phases run: %v", seen)
}

// owned reports whether the workload of a pod exists.
func (c *cluster) owned(p *pod) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(c.children)), func(o *object) bool { return o.GetUID() == p.owner })
}

// mustReleaseFormer checks that no proxy is connected for minutes to a server of a deleted Memcached: it would hold the server, and find its items.
func (m *metacontroller) mustReleaseFormer() {
	for _, p := range m.pods {
		if m.owned(p) || p.DeletionTimestamp == nil || !p.serves() || !p.CreationTimestamp.Time.Before(m.parent.created) {
			continue
		}
		since := m.now.Sub(p.DeletionTimestamp.Add(-time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second))
		ordinal, _ := strconv.Atoi(strings.TrimPrefix(p.Name, name+"-"))
		for _, proxy := range m.proxies() {
			holds := m.owned(proxy) && !m.lost[proxy.Name] && proxy.routes.knows(ordinal)
			must(since < 4*time.Minute || !holds, "no proxy holds %s of a deleted Memcached: %s", p.Name, proxy.Name)
		}
	}
}

// items is the number of items that a walk stores, one for each key.
const items = 64

// slot returns the slot of a key by the consistent hash of memcached's proxy (Lamping and Veach, 2014).
func slot(key uint64, slots int) int {
	last, next := int64(-1), int64(0)
	for key = (key + 1) * 0x9E3779B97F4A7C15; next < int64(slots); {
		last = next
		key = key*2862933555777941757 + 1
		next = int64(float64(last+1) * (float64(1<<31) / float64(key>>33+1)))
	}
	return int(last)
}

// serverOf returns the server of a key; nil if it does not serve.
func (c *cluster) serverOf(key int, ordinals string) *pod {
	list := strings.Split(strings.TrimSuffix(ordinals, ","), ",")
	for _, p := range c.pods {
		if p.Name == name+"-"+list[slot(uint64(key), len(list))] && p.serves() {
			return p
		}
	}
	return nil
}

// finish does what the Job of a move does until it is complete: it cleans servers, or moves each item that the proxies find.
func (c *cluster) finish(job *object) {
	containers, _, _ := unstructured.NestedSlice(job.Object, "spec", "template", "spec", "containers")
	args := fmt.Sprint(containers[0].(map[string]any)["args"])
	flag := func(flag string) string {
		return regexp.MustCompile(flag + `=([\d,]*)`).FindStringSubmatch(args + flag + "=")[1]
	}
	for index, ordinal := range strings.Split(flag("--ordinals"), ",") {
		for _, source := range c.pods {
			for key := range source.items {
				switch of, _ := strconv.Atoi(flag("--of")); {
				case source.Name != name+"-"+ordinal:
				case strings.Contains(args, "clean") && slot(uint64(key), of) != index:
					delete(source.items, key)
				case strings.Contains(args, "copy"):
					c.move(key, source)
				}
			}
		}
	}
}

// move moves an item if all proxies are in the phase in which items move.
func (c *cluster) move(key int, source *pod) {
	var to *pod
	for _, p := range c.pods {
		if p.routes == (routes{}) || p.Status.StartTime.IsZero() {
			continue
		}
		if p.routes.phase != "warming" || c.serverOf(key, p.routes.from) != source {
			return
		}
		to = c.serverOf(key, p.routes.to)
	}
	if to != nil {
		delete(source.items, key)
		to.items[key] = true
	}
}

// storeItems stores each second item, as clients do. Other servers have garbage of the others, as earlier changes could leave it.
func (m *metacontroller) storeItems() {
	for key := range items {
		server := m.serverOf(key, m.proxies()[0].routes.to)
		for _, p := range m.pods {
			if p.routes == (routes{}) && p.serves() && (p == server) == isStored(key) {
				p.items[key] = true
			}
		}
	}
}

func isStored(key int) bool { return key%2 == 0 }

// mustFindItems checks that the proxies find all items, and no garbage.
func (m *metacontroller) mustFindItems() {
	for key := range items {
		server := m.serverOf(key, m.proxies()[0].routes.to)
		must(server != nil && server.items[key] == isStored(key), "items are kept, and no garbage is found: %d of %v", key, m.proxies()[0].routes)
	}
}

// mustKeepItems lets events happen that keep all items, and checks that the proxies find all of them.
func (w *walker) mustKeepItems() {
	w.editSpec(fmt.Sprintf(`{"workload": "StatefulSet", "proxy": {}, "size": %d}`, 2+w.seed%3))
	w.calm, w.order = true, w.random
	w.mustKeepItemsAtRest()
	for range 2 {
		w.observations, w.states, w.endsSoon = []*observation{w.observe()}, nil, false
		w.storeItems()
		for range 5 {
			w.step()
		}
		w.note("the events end, and spec is %s", w.parent.spec)
		w.parent.replace(w.valid, w.now)
		w.settle()
		if !w.endsSoon { // AtRisk has reported that a grace period is too short
			w.mustFindItems()
		}
	}
}

// mustKeepItemsAtRest edits the pod template, deletes a server, and removes one, each at rest. The hook observes the edit before it observes
// that the servers have started. The default grace period is long enough for the items of a server.
func (w *walker) mustKeepItemsAtRest() {
	w.sync(w.observe(), all)
	w.work()
	starting := w.observe()
	w.settle()
	w.storeItems()
	w.editSpec(`{"podLabels": {"team": "shop"}}`)
	late := w.observe()
	late.pods = starting.pods
	w.sync(late, all)
	w.settle()
	w.mustFindItems()
	w.terminate(w.serverOf(0, w.proxies()[0].routes.to))
	w.settle()
	must(!w.endsSoon, "the default grace period is long enough for a server that is deleted at rest: %s", w.parent.status)
	w.mustFindItems()
	w.storeItems()
	w.editSpec(fmt.Sprintf(`{"size": %d}`, 1+w.seed%3))
	w.settle()
	w.mustFindItems()
}
