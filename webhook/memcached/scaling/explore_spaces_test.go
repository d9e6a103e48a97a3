package scaling

import "maps"

// onTime is the clock of a hook that is not off.
var onTime = []int16{0}

// spaces are configurations without faults, and with faults and steps.
var spaces = map[string]space{
	"warm-up":                {warmup: warmup, clocks: onTime},
	"no warm-up":             {clocks: onTime},
	"steps of 1":             {warmup: warmup, maxStep: 1, clocks: onTime},
	"steps of 1, no warm-up": {maxStep: 1, clocks: onTime},
	"losses, steps of 1":     {warmup: warmup, maxStep: 1, clocks: onTime, losses: true},
	"switches, steps of 1":   {warmup: warmup, maxStep: 1, clocks: onTime, switches: true},
}

// faults are the kinds of faults, each as a change of a space without faults.
var faults = map[string]func(*space){
	"clocks":            func(s *space) { s.clocks = []int16{0, skew} },
	"losses":            func(s *space) { s.losses = true },
	"failures":          func(s *space) { s.failures = true },
	"unobserved":        func(s *space) { s.unobserved = true },
	"late parents":      func(s *space) { s.late = "parent" },
	"late StatefulSets": func(s *space) { s.late = "workload" },
	"late Deployments":  func(s *space) { s.late = "deployment" },
	"late pods":         func(s *space) { s.late = "pods" },
	"switches":          func(s *space) { s.switches = true },
	"deletions":         func(s *space) { s.deletions = true },
	"edits":             func(s *space) { s.edits = true },
}

// spacesAndFaults returns the configurations, and each kind of fault alone.
func spacesAndFaults() map[string]space {
	all := maps.Clone(spaces)
	for name, fault := range faults {
		s := spaces["warm-up"]
		fault(&s)
		all[name] = s
	}
	return all
}

// pairsOfFaults returns the configurations with two kinds of faults. Only one kind of object is observed late.
func pairsOfFaults() map[string]space {
	all := map[string]space{}
	for first, change := range faults {
		for second, changeAlso := range faults {
			s := spaces["warm-up"]
			change(&s)
			late := s.late
			changeAlso(&s)
			if first < second && (late == "" || late == s.late) {
				all[first+" and "+second] = s
			}
		}
	}
	return all
}
