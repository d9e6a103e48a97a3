package moves

import (
	"cmp"
	"maps"
)

// space is one configuration that is explored.
type space struct {
	sizes   int8 // sizes least to sizes
	least   int8
	maxStep int8
	warmup  int16
	// clocks are how far the clocks of hooks are off, in seconds.
	clocks []int16
	// late is the kind of object that one sync observes as it was before its last change; "" for none.
	late string
	// losses lets status get lost or restored.
	losses bool
	// failures lets syncs fail halfway.
	failures bool
	// switches switches proxies on and off.
	switches bool
	// warmups switches the warm-up on and off.
	warmups bool
	// unobserved lets syncs not observe the StatefulSet or the Deployment.
	unobserved bool
	// deletions lets somebody delete the StatefulSet or the Deployment.
	deletions bool
	// edits lets somebody edit the Deployment.
	edits bool
	// templates is the number of pod templates that spec may have, if it is edited. An edit moves the items to other servers.
	templates int8
	// restarts lets servers restart at any time. Otherwise only rollouts restart them.
	restarts bool
	// copies lets a Job run.
	copies bool
	// stops lets servers be deleted, so many that are desired. They serve on while proxies are connected, unless kills is true: then they may end
	// at any time.
	stops, kills bool
	evictions    int8
	// nodes is the number of nodes that may stop to respond, one after the other or at the same time.
	nodes int8
	// outages lets servers fail, and those with the template brokenTemplate for ever. A proxy is available once it has reached a server.
	outages bool

	snapshots    *numbered[snapshot]
	observations *numbered[observation]
	decisions    []decision // in the order of the observations
	// violated is the invariant that a decision violates.
	violated string
}

// forgets reports whether a Deployment that exists is always observed with its routes.
func (s *space) forgets() bool {
	return !s.losses && !s.unobserved && !s.deletions && !s.edits && s.late != "parent"
}

// readsServers reports whether the StatefulSet is not always observed, so that decisions read status.servers.
func (s *space) readsServers() bool { return s.unobserved || s.deletions }

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

// copies are configurations with a Job, and with a fault. A fault with fewer sizes has the same phases.
var copies = map[string]space{
	"copies":                   {sizes: maxSize, clocks: onTime},
	"copies, steps of 1":       {sizes: maxSize, clocks: onTime, maxStep: 1},
	"copies, clocks":           {clocks: []int16{0, skew}},
	"copies, failures":         {clocks: onTime, failures: true},
	"copies, failures, losses": {clocks: onTime, failures: true, losses: true},
	"copies, unobserved":       {clocks: onTime, unobserved: true},
	"copies, late Jobs":        {clocks: onTime, late: "job"},
	"copies, late Deployments": {clocks: onTime, late: "deployment"},
	"copies, late pods":        {clocks: onTime, late: "pods"},
	"copies, switches":         {clocks: onTime, switches: true},
	"copies, deletions":        {clocks: onTime, deletions: true},
}

// replacements are configurations with a pod template that is edited, and with a fault. Most of them have one size.
var replacements = map[string]space{
	"templates":                    {restarts: true, sizes: 1, clocks: onTime},
	"templates, edited again":      {restarts: true, least: 1, sizes: 1, clocks: onTime, templates: 3},
	"templates, sizes 1 and 2":     {least: 1, sizes: 2, clocks: onTime},
	"templates, steps of 1":        {sizes: 1, maxStep: 1, clocks: onTime},
	"templates, failures":          {least: 1, sizes: 1, clocks: onTime, failures: true},
	"templates, copies":            {least: 1, sizes: 1, clocks: onTime, copies: true},
	"templates, clocks":            {least: 1, sizes: 1, clocks: []int16{0, skew}},
	"templates, losses":            {least: 1, sizes: 1, clocks: onTime, losses: true},
	"templates, unobserved":        {least: 1, sizes: 1, clocks: onTime, unobserved: true},
	"templates, late parents":      {restarts: true, least: 1, sizes: 1, clocks: onTime, late: "parent"},
	"templates, late StatefulSets": {restarts: true, least: 1, sizes: 1, clocks: onTime, late: "workload"},
	"templates, late Deployments":  {least: 1, sizes: 1, clocks: onTime, late: "deployment"},
	"templates, late pods":         {restarts: true, least: 1, sizes: 1, clocks: onTime, late: "pods"},
	"templates, switches":          {least: 1, sizes: 1, clocks: onTime, switches: true},
	"templates, warm-ups":          {restarts: true, least: 1, sizes: 1, clocks: onTime, warmups: true},
	"templates, deletions":         {least: 1, sizes: 1, clocks: onTime, deletions: true},
}

// replacementPairs are configurations with a pod template that is edited, and two faults.
var replacementPairs = map[string]space{
	"templates, losses, deletions":         {least: 1, sizes: 1, clocks: onTime, losses: true, deletions: true},
	"templates, sizes 1 and 2, steps of 1": {least: 1, sizes: 2, maxStep: 1, clocks: onTime},
}

// drains are configurations with servers that are being deleted, and with a fault.
var drains = map[string]space{
	"drains":                    {sizes: 2, clocks: onTime},
	"drains, size 3":            {least: 3, sizes: 3, clocks: onTime},
	"drains, kills":             {least: 1, sizes: 2, clocks: onTime, kills: true},
	"drains, two":               {least: 2, sizes: 2, clocks: onTime, evictions: 2},
	"drains, failures":          {least: 2, sizes: 2, clocks: onTime, evictions: 2, failures: true},
	"drains, losses":            {least: 2, sizes: 2, clocks: onTime, losses: true},
	"drains, clocks":            {least: 2, sizes: 2, clocks: []int16{0, skew}},
	"drains, unobserved":        {least: 2, sizes: 2, clocks: onTime, unobserved: true},
	"drains, late parents":      {least: 2, sizes: 2, clocks: onTime, late: "parent"},
	"drains, late pods":         {least: 2, sizes: 2, clocks: onTime, evictions: 2, late: "pods"},
	"drains, late pods, kills":  {least: 1, sizes: 1, clocks: onTime, late: "pods", kills: true},
	"drains, late Deployments":  {least: 2, sizes: 2, clocks: onTime, late: "deployment"},
	"drains, late StatefulSets": {least: 2, sizes: 2, clocks: onTime, late: "workload"},
	"drains, late Jobs":         {least: 2, sizes: 2, clocks: onTime, evictions: 2, late: "job"},
	"drains, switches":          {least: 1, sizes: 1, clocks: onTime, switches: true},
	"drains, warm-ups":          {least: 2, sizes: 2, clocks: onTime, warmups: true},
}

// lostNodes are configurations with servers whose nodes do not respond, and with a fault.
var lostNodes = map[string]space{
	"nodes":                   {least: 2, sizes: 2, clocks: onTime},
	"nodes, two":              {least: 2, sizes: 2, clocks: onTime, nodes: 2},
	"nodes, the spare":        {least: 1, sizes: 1, clocks: onTime, nodes: 2},
	"nodes, failures":         {least: 1, sizes: 1, clocks: onTime, failures: true},
	"nodes, losses":           {least: 1, sizes: 1, clocks: onTime, losses: true},
	"nodes, unobserved":       {least: 1, sizes: 1, clocks: onTime, unobserved: true},
	"nodes, late pods":        {least: 1, sizes: 1, clocks: onTime, late: "pods"},
	"nodes, late Deployments": {least: 1, sizes: 1, clocks: onTime, late: "deployment"},
	"nodes, late Jobs":        {least: 1, sizes: 1, clocks: onTime, late: "job"},
	"nodes, warm-ups":         {least: 1, sizes: 1, clocks: onTime, warmups: true},
}

// lostNodePairs are lost nodes with sizes, drains or templates.
var lostNodePairs = map[string]space{
	"nodes, sizes":               {sizes: 2, clocks: onTime},
	"nodes, drains":              {least: 1, sizes: 1, clocks: onTime, stops: true, evictions: 2},
	"nodes, templates":           {least: 1, sizes: 1, clocks: onTime, templates: 2},
	"nodes, templates, warm-ups": {least: 1, sizes: 1, clocks: onTime, templates: 2, warmups: true},
}

// outages are configurations in which servers fail, and proxies that reach none are not available.
var outages = map[string]space{
	"outages":                   {sizes: 2, clocks: onTime},
	"outages, no warm-up":       {sizes: 1, clocks: onTime, warmups: true},
	"outages, late pods":        {least: 1, sizes: 2, clocks: onTime, late: "pods"},
	"outages, late Deployments": {least: 1, sizes: 2, clocks: onTime, late: "deployment"},
	"outages, templates":        {least: 1, sizes: 1, clocks: onTime, templates: 2},
	"outages, drains":           {least: 1, sizes: 1, clocks: onTime, stops: true, evictions: 2, kills: true, copies: true},
}

// outagePairs are outages with more sizes, templates and faults.
var outagePairs = map[string]space{
	"outages, steps of 1":                  {sizes: 2, clocks: onTime, maxStep: 1},
	"outages, no warm-up, size 2":          {sizes: 2, clocks: onTime, warmups: true},
	"outages, templates, size 0":           {sizes: 1, clocks: onTime, templates: 2},
	"outages, another template":            {least: 1, sizes: 1, clocks: onTime, templates: 3},
	"outages, templates, size 2":           {least: 2, sizes: 2, clocks: onTime, templates: 2},
	"outages, templates, late pods":        {least: 1, sizes: 1, clocks: onTime, templates: 2, late: "pods"},
	"outages, templates, late Deployments": {least: 1, sizes: 1, clocks: onTime, templates: 2, late: "deployment"},
	"outages, drains, size 0":              {sizes: 1, clocks: onTime, stops: true, evictions: 2, kills: true, copies: true},
	"outages, drains, size 2":              {least: 2, sizes: 2, clocks: onTime, stops: true, evictions: 2, kills: true, copies: true},
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
	"warm-ups":          func(s *space) { s.warmups = true },
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
	for name, s := range copies {
		s.copies, s.warmup = true, warmup
		if s.sizes == 0 {
			s.sizes = maxSize - 1
		}
		all[name] = s
	}
	for name, s := range replacements {
		s.templates, s.warmup = max(s.templates, 2), warmup
		all[name] = s
	}
	for name, s := range drains {
		all[name] = s.drained()
	}
	for name, s := range lostNodes {
		all[name] = s.losing()
	}
	for name, s := range outages {
		all[name] = s.failing()
	}
	return all
}

func (s space) drained() space {
	s.stops, s.copies, s.warmup, s.evictions = true, true, warmup, cmp.Or(s.evictions, 1)
	return s
}

func (s space) losing() space {
	s.nodes, s.copies, s.warmup = max(s.nodes, 1), true, warmup
	return s
}

func (s space) failing() space {
	s.outages, s.warmup = true, warmup
	return s
}

// pairsOfFaults returns the configurations with two kinds of faults, and those of templates and of drains with more sizes, and with both. Only one
// kind of object is observed late.
func pairsOfFaults() map[string]space {
	all := map[string]space{
		"drains, templates": space{least: 1, sizes: 1, clocks: onTime, templates: 2}.drained(),
		"drains, deletions": space{least: 1, sizes: 1, clocks: onTime, deletions: true}.drained(),
	}
	for name, s := range drains {
		s.least, s.sizes, s.evictions = 1, 2, 2
		all[name] = s.drained()
	}
	for name, s := range outagePairs {
		all[name] = s.failing()
	}
	for name, s := range replacements {
		s.templates, s.warmup, s.least = 3, warmup, 0
		all[name] = s
	}
	for name, s := range lostNodePairs {
		all[name] = s.losing()
	}
	for name, s := range replacementPairs {
		s.templates, s.warmup = 2, warmup
		all[name] = s
	}
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
