package scaling

import "time"

// Copy is the Job of a warm-up. It lists the items of all servers that items move from, and reads each of them through the
// proxies, so that items which no client uses move too.
type Copy struct {
	// For is [Routes.String] of the proxies that the Job reads through. It is different for each warm-up, because it has the end of
	// the marks.
	For string
	// Created is when the Job was created. All proxies moved items then.
	Created time.Time
	// Complete reports whether the Job has read all items, and Failed whether it has given up.
	Complete, Failed bool
	// Servers is the number of servers to copy, and Copied the number of those that are copied.
	Servers, Copied int32
}

// copyOf returns the Job of these routes; nil if none is observed.
func (s State) copyOf(routes Routes) *Copy {
	if s.Copy == nil || s.Copy.For != routes.String() {
		return nil
	}
	return s.Copy
}

// keepCopy keeps the Job of this warm-up, and gives up all others. A Job that has finished stays until the change ends: if the
// Deployment is not updated, or observed late, the decision is repeated. Proxies in Closing move nothing, so it ends otherwise.
func (c change) keepCopy(p *Plan) {
	warming := p.Routes
	warming.Phase = Warming
	job := c.copyOf(warming)
	if c.CanCopy && job != nil && (p.Routes.Phase == Warming || p.Routes.Phase == Closing && (job.Complete || job.Failed)) {
		p.Copy = warming
	}
}

// beginCopy begins a Job. All proxies move items now: a Job that began before would read items that do not move. A Job of another
// warm-up has the same name, so it is removed first.
func (c change) beginCopy(p *Plan) {
	if c.CanCopy && c.Copy == nil {
		p.Copy = c.routes
	}
}

// Sources returns the set that items move from, the ordinal of the first server, and how many of them there are.
func (r Routes) Sources() (set Set, first, number int32) {
	if r.moves() || r.grows() {
		return r.From.Set, 0, r.From.Count
	}
	return r.From.Set, r.To.Count, r.From.Count - r.To.Count
}
