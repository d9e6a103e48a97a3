package main

// mutants are what tests must find, by package. Each breaks what users rely on.
var mutants = []mutant{
	{moves + "phases.go", "if inUse || !s.Proxies", "if inUse && s.Proxies.Deployment == nil || !s.Proxies", "servers are removed while a running proxy uses them"},
	{moves + "phases.go", "	case why != NoObstacle:\n		return s.stay(why)\n	}\n	return s.begin()", "	case false && why != NoObstacle:\n	}\n	return s.begin()", "a move begins before the proxies of the last one have ended"},
	{moves + "begin.go", "if s.current.Task() == NoTask || s.jobComplete() {", "if true {", "a decrease begins before its servers are cleaned"},
	{moves + "begin.go", "if ready && s.isClean() && s.rolloutEnded() {", "if s.isClean() && s.rolloutEnded() {", "items move to servers that are not ready"},
	{moves + "begin.go", "if ready && s.isClean() && s.rolloutEnded() {", "if ready && s.isClean() {", "Preparing begins while proxies of the phase before AddingServers run"},
	{moves + "phases.go", "case !s.rolloutEnded() || !s.addedReady()", "case !s.addedReady()", "items move while proxies do not look for them"},
	{moves + "phases.go", "if !s.rolloutEnded() || r.Replaces()", "if r.Replaces()", "a warm-up ends before all proxies take part"},
	{moves + "phases.go", "if o.wait == 0 || s.jobComplete()", "if o.job == s.jobOfPhase() || s.jobComplete()", "a warm-up ends before its Job is complete"},
	{moves + "phases.go", "	if !s.rolloutEnded() {\n		return s.stay(NoObstacle)\n	}\n	return s.rollOut(steadyRoutes(s.current.To))", "	return s.rollOut(steadyRoutes(s.current.To))", "a move ends while proxies of the warm-up run"},
	// The exploration finds this one, in a cache that starts again from size 0 with an earlier observation of its Deployment. The walk does
	// not: its Deployments start no proxy of an earlier template again, and few of its events are at size 0.
	{moves + "phases.go", "	if !s.allObserved() {\n", "	if false {\n", "servers are removed before all proxies are observed"},
	{moves + "begin.go", "case s.isWanted():", "case true:", "a move that spec does not want any more goes on"},
	{moves + "proxies.go", "case !s.currentApplied || s.othersRun(s.current):", "case !s.currentApplied:", "terminating proxies of an earlier phase do not count"},
	{moves + "template.go", "		keep = s.mayHaveItems(routes.To)\n", "", "a change of the pods replaces servers with items in place"},
	{moves + "template.go", "		keep = limit.List()\n", "", "an edit of the pods during a move replaces servers in place"},
	{moves + "template.go", "case w != nil && w.Ready > ready:", "case false:", "servers that are not observed yet are replaced in place"},
	{moves + "target.go", "away != from {", "false {", "the items of a server that is deleted do not move"},
	{moves + "situation.go", "		f.routesOfLabel(),     // the last decision that was applied\n", "", "a lost status loses the phase of a move"},
	{moves + "record.go", "s.recordedMove == nil || s.recordedMove.Phase != phase", "s.recordedMove == nil", "the end of another phase counts"},
	{moves + "stop.go", "	if !s.proxiesDeleted() {\n		return o\n	}\n", "", "servers are removed while proxies that spec no longer has run"},
	{moves + "stop.go", "if s.proxiesStopped() {\n		return s.removeLater", "if true {\n		return s.removeLater", "size 0 removes servers before the proxies have stopped"},
	{moves + "stop.go", "len(s.PredecessorPods) > 0 && !s.hasBegun():", "len(s.PredecessorPods) > 0 && s.Proxies.Deployment == nil:", "proxies use servers of a deleted cache"},
	{moves + "job.go", "begun.Routes != next.Routes || begun.Rollout != next.Rollout || ", "", "the Job of an earlier rollout counts"},
	{moves + "steps.go", "return min(max(f.Size, from-f.MaxStep), from+f.MaxStep)", "return f.Size", "maxStep does not limit a step"},
	{memcached + "keeprunning.go", "if running == configured || mustReplace(", "if running == configured || true || mustReplace(", "an upgrade of the operator replaces pods"},
	{memcached + "serverfacts.go", "case live && pod.RunsSinceReady(children.ContainerName):", "case false:", "a server that is not ready for a moment counts as empty"},
	{memcached + "facts.go", "updated := !d.Terminating() && d.CaughtUp() &&", "updated := !d.Terminating() &&", "the status of an earlier rollout of the proxies counts"},
	{memcached + "templates.go", "if t.templateApplied, err = merge.TemplateApplied(", "t.templateApplied = true\n		if _, err = merge.TemplateApplied(", "an edited template counts as applied"},
	{memcached + "observation.go", "pod.Terminating() && !canHold(pod)", "pod.Terminating()", "a server that holds does not count as available"},
	{proxy + "config.go", "	if phase != moves.Steady {\n		config += backends(\"from\", from, domain)", "	if phase != moves.Steady {\n		config += backends(\"from\", to, domain)", "proxies look for items that move on their new servers alone"},
	{proxy + "job.go", "\"--ordinals=\"+list(r.JobServers())", "\"--ordinals=\"+list(r.To.BySlot())", "the Job reads the wrong servers"},
	{proxy + "job.go", "fmt.Sprintf(\"--of=%d\", r.From.Slots.Count)", "\"--of=0\"", "the Job that cleans deletes all items"},
	{proxy + "labels.go", "labels[RoutesLabel] = r.String()", "labels[RoutesLabel] = moves.Routes{Move: moves.Move{From: r.From, To: r.From}}.String()", "pods have the routes of another phase"},
	{proxy + "children.go", "if in.exports() {\n		ports", "if !in.exports() {\n		ports", "Prometheus does not find the exporters of the proxies"},
	{conditions + "rollout.go", " &&\n		r.readyPods >= serve\n}", "\n}", "Ready follows from an outdated status of the workload"},
	{conditions + "status.go", "last != nil && last.Status == condition.Status", "last != nil && last.Status != condition.Status", "conditions change their times at each sync"},
	{conditions + "assessment.go", "in.InUse != nil && !slices", "in.InUse == nil && !slices", "a server that clients do not reach counts as available"},
	{conditions + "states.go", "	return a.pending\n}", "	return nil\n}", "Ready ignores children that differ from spec"},
	{conditions + "finding.go", "cmp.Or(merged.Problem, finding.Problem)", "cmp.Or(finding.Problem, merged.Problem)", "the last problem counts, not the first"},
	{merge + "difference.go", "bytes.Equal(last.Spec, want.Spec)", "bytes.Equal(last.Spec, last.Spec)", "a field that spec no longer sets stays"},
	{merge + "difference.go", "	have := applied\n	if len(applied.Spec) == 0 {\n		have = observedForm(child)\n	}\n", "	have := observedForm(child)\n", "an edit of the StatefulSet by others moves all items"},
	{merge + "contains.go", "if !item.found || rank >= 0 && item.rank != rank {", "if !item.found {", "a list with different keys counts as equal"},
	{merge + "apply.go", "			delete(object, key)\n", "", "an apply keeps what was removed"},
}

const (
	memcached  = "webhook/memcached/"
	moves      = memcached + "moves/"
	proxy      = memcached + "proxy/"
	conditions = "webhook/conditions/"
	merge      = "webhook/merge/"
)
