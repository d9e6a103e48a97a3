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
		return "Rolling out proxies to prepare for the change."
	case report.Phase == v1alpha1.MoveAddingServers && report.Purpose() == v1alpha1.MoveReturn:
		return "Starting and cleaning the server, and rolling out proxies to prepare for the change."
	}
	return explanations[report.Phase]
}

var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "Starting new servers, and rolling out proxies to prepare for the change.",
	v1alpha1.MoveCleaning:        "Rolling out proxies to prepare for the change, and running a Job that deletes old items on the remaining servers.",
	v1alpha1.MovePreparing:       "Rolling out proxies that can find items that other proxies have moved.",
	v1alpha1.MoveWarmingUp:       "Rolling out proxies to move items to their new servers.",
	v1alpha1.MoveClosing:         "Rolling out proxies to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "The old servers are removed once no running proxy uses them.",
}

var obstacles = map[moves.Obstacle]string{
	moves.NoStatefulSet:       "The StatefulSet has not been observed yet.",
	moves.TemplateNotApplied:  "The new pod template has not been applied to the StatefulSet yet.",
	moves.TemplateNotObserved: "The StatefulSet controller has not observed the pod template yet.",
	moves.ProxiesNotAvailable: "Not all proxies are available.",
	moves.EarlierProxies:      "Replacing the proxies of an earlier phase.",
	moves.EarlierServers:      "Removed servers with the same names as the new servers have not stopped yet.",
	moves.PredecessorPods:     "Pods of a deleted Memcached with the same name have not stopped yet. They stop within seconds if their nodes respond.",
}
