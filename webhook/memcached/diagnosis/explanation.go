package diagnosis

import (
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// explanation returns what happens in the phase of a move, or what a move waits for that has not begun.
func explanation(f moves.Facts, report moves.Report) string {
	switch {
	case report.Phase == v1alpha1.MoveWaiting:
		return obstacles[report.Obstacle]
	case report.Phase == v1alpha1.MoveCleaning && !f.CanRunJob:
		return "The proxies are rolled out so that they expect the change."
	case report.Phase == v1alpha1.MoveAddingServers && report.Purpose() == v1alpha1.MoveReturn:
		return "The server starts and is cleaned, and the proxies are rolled out so that they expect the change."
	}
	return explanations[report.Phase]
}

var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MoveCleaning:        "A Job deletes what earlier changes have left on the remaining servers, and the proxies are rolled out so that they expect the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out so that they find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out so that items move to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "Servers are removed once no running proxy uses them.",
}

var obstacles = map[moves.Obstacle]string{
	moves.NoStatefulSet:       "The StatefulSet is not observed.",
	moves.TemplateNotApplied:  "The StatefulSet does not have the pod template yet.",
	moves.TemplateNotObserved: "The StatefulSet controller has not observed the pod template yet.",
	moves.ProxiesNotAvailable: "Not all proxies are available.",
	moves.EarlierProxies:      "Proxies of an earlier phase are replaced first.",
	moves.EarlierServers:      "Removed servers with the names of the new ones have not stopped yet.",
	moves.PredecessorPods:     "Pods of a deleted Memcached of the same name still serve its clients, and stop in seconds if their nodes respond.",
}
