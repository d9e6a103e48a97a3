package moves

import "slices"

// normal returns the same world for all worlds that no rule distinguishes. If the space forgets, a decision observes the Deployment and
// its routes in every sync. Then it reads from the recorded status only the end of a wait of this rollout. The other
// spaces explore that the rest has no influence.
func (s *space) normal(w world) world {
	if s.forgets() {
		w.normalStatus()
	}
	w.normalPods()
	if len(s.clocks) == 1 {
		w.normalTimes()
	}
	w.warmed = w.warmed && w.allWarming()
	w.copied = w.copied && w.only(routesWorld{phase: warming})
	w.cleaned = w.cleaned && w.only(w.deployment.routes)
	w.copy.whole = w.copy.whole && w.only(w.copy.routes)
	w.claims = w.claims && slices.ContainsFunc(w.running(), func(pod podWorld) bool { // they last for seconds
		return pod.routes.phase > 0 && pod.routes.phase <= warming
	})
	return s.normalSet(w)
}

// normalStatus forgets what no decision reads.
func (w *world) normalStatus() {
	current, closes := w.status.revision == 0, w.deployment.routes
	read := current && w.status.routes == w.deployment.routes && w.status.until != never
	if w.status.proxy && w.deployment.exists && !read {
		w.status.until = never
		if closes.phase++; !current || w.deployment.routes.phase != warming || w.status.routes != closes {
			w.status.routes, w.status.revision = w.deployment.routes, -2
		}
		w.status.phase, w.status.from, w.status.to, w.status.purpose = 0, 0, 0, 0
	}
	if w.status.scaling && w.status.scalingRev < 0 {
		w.status.scalingRev, w.status.replicas, w.status.step = -2, 0, past
	}
}

// normalTimes has one time for all that have passed, if no clock is before another one.
func (w *world) normalTimes() {
	for _, t := range []struct {
		seconds *int16
		limit   int16
	}{{&w.status.until, 0}, {&w.status.step, interval}, {&w.copy.created, warmup}} {
		if *t.seconds != never && *t.seconds <= -t.limit {
			*t.seconds = past
		}
	}
}

// normalPods sorts the proxies. One that stops makes no difference if another one with the same routes runs.
func (w *world) normalPods() {
	for i, pod := range w.pods {
		if !pod.deleted {
			continue
		}
		for j, other := range w.pods {
			if i != j && other.exists && other.routes == pod.routes {
				w.pods[i] = podWorld{}
				break
			}
		}
	}
	for i := 1; i < len(w.pods); i++ {
		for j := i; j > 0 && w.pods[j].order() < w.pods[j-1].order(); j-- {
			w.pods[j], w.pods[j-1] = w.pods[j-1], w.pods[j]
		}
	}
}

func (p podWorld) order() int {
	if !p.exists {
		return 1 << 62
	}
	order := int(p.routes.from.first)<<12 | int(p.routes.from.count)<<8 | int(p.routes.to.first)<<4 | int(p.routes.to.count)
	for _, servers := range []serversWorld{p.routes.from, p.routes.to} {
		for _, spare := range servers.spares {
			order = order<<8 | int(spare.absent)<<4 | int(spare.ordinal)
		}
	}
	order = order<<4 | int(p.routes.phase)<<1 | bit(p.available)
	return order<<1 | bit(p.deleted)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
