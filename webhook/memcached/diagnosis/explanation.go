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
		return "The proxies are rolled out to prepare for the change."
	case report.Phase == v1alpha1.MoveAddingServers && report.Purpose() == v1alpha1.MoveReturn:
		return "The server starts and is cleaned. The proxies are rolled out to prepare for the change."
	}
	return explanations[report.Phase]
}

var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "New servers start. The proxies are rolled out to prepare for the change.",
	v1alpha1.MoveCleaning:        "A Job deletes old items on the remaining servers. The proxies are rolled out to prepare for the change.",
	v1alpha1.MovePreparing:       "The proxies are rolled out to find items that move.",
	v1alpha1.MoveWarmingUp:       "The proxies are rolled out to move items to their new servers.",
	v1alpha1.MoveClosing:         "The proxies are rolled out to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "The old servers are removed once no running proxy uses them.",
}

var obstacles = map[moves.Obstacle]string{
	moves.NoStatefulSet:       "The StatefulSet has not been observed yet.",
	moves.TemplateNotApplied:  "The StatefulSet does not have the pod template yet.",
	moves.TemplateNotObserved: "The StatefulSet controller has not observed the pod template yet.",
	moves.ProxiesNotAvailable: "Not all proxies are available.",
	moves.EarlierProxies:      "The proxies of an earlier phase are replaced first.",
	moves.EarlierServers:      "Removed servers with the same names as the new servers have not stopped yet.",
	moves.PredecessorPods:     "Pods of a deleted Memcached with the same name have not stopped yet. They stop within seconds if their nodes respond.",
}
