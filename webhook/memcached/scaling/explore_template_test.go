package scaling

// templateEvents edits the pod template in spec: to one that no set has, or to the one of a set.
func (s *space) templateEvents(w world, yield func(name string, next world)) {
	edit := func(name string, current int) {
		next := w
		for set := range next.workloads {
			next.workloads[set].outdated = w.workloads[set].exists && set != current
		}
		s.keep(&next, w, "parent")
		yield(name, next)
	}
	edit("the template is edited", -1)
	for set := range w.workloads {
		if w.workloads[set].outdated {
			edit("the template is edited back", set)
		}
	}
	for set := range w.workloads {
		if w.workloads[set].rolling {
			next := w
			next.workloads[set].rolling = false
			s.keep(&next, w, "workload")
			yield("all pods have the template", next)
		}
	}
}
