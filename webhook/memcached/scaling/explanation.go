package scaling

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// explanations are those of the phases, for users.
var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MoveCleaning:        "A Job deletes what earlier changes have left on the remaining servers, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "Servers are removed once no running proxy uses them.",
}

// explanation returns what happens in the phase of an outcome, or what Waiting waits for.
func (c current) explanation(o outcome) string {
	switch w := c.Workload; {
	case o.Report.Phase == v1alpha1.MoveCleaning && !c.CanRunJob:
		return "The proxies are rolled out so that they expect the change."
	case o.Report.Phase != v1alpha1.MoveWaiting:
		return explanations[o.Report.Phase]
	case c.Predecessor:
		return "Servers of a deleted Memcached of the same name still serve its clients, and stop in seconds, unless their node does not respond: then switch it off and delete its Node object."
	case w == nil:
		return "The StatefulSet is not observed."
	case w.TemplateApplied && !w.CaughtUp:
		return "The StatefulSet controller has not observed the pod template yet."
	case o.Routes != c.routes || !c.applied || !c.allRun(c.routes):
		return "Proxies of an earlier phase are replaced first."
	case !c.proxiesSettled():
		return "Not all proxies are available."
	}
	return "Removed servers with the names of the new ones have not stopped yet."
}
