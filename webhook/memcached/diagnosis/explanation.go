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
		return "rolling out proxies to prepare for the change."
	case report.Phase == v1alpha1.MoveAddingServers && report.Purpose() == v1alpha1.MoveReturn:
		return "starting and cleaning the server, and rolling out proxies to prepare for the change."
	}
	return explanations[report.Phase]
}

var explanations = map[v1alpha1.MovePhase]string{
	v1alpha1.MoveAddingServers:   "starting new servers, and rolling out proxies to prepare for the change.",
	v1alpha1.MoveCleaning:        "rolling out proxies to prepare for the change, and running a Job that deletes old items on the remaining servers.",
	v1alpha1.MovePreparing:       "rolling out proxies that can find items that other proxies have moved.",
	v1alpha1.MoveWarmingUp:       "rolling out proxies to move items to their new servers.",
	v1alpha1.MoveClosing:         "rolling out proxies to serve each key from its new server. Items that have not moved are lost.",
	v1alpha1.MoveRemovingServers: "removing the other servers once no running proxy uses them.",
}

var obstacles = map[moves.Obstacle]string{
	moves.NoStatefulSet:       "waiting until the StatefulSet exists.",
	moves.TemplateNotApplied:  "waiting until the StatefulSet has the new pod template.",
	moves.TemplateNotObserved: "waiting until the StatefulSet controller has observed the new pod template.",
	moves.ProxiesNotAvailable: "waiting until all proxies are available.",
	moves.EarlierProxies:      "replacing the proxies of an earlier phase.",
	moves.EarlierServers:      "waiting until removed servers with the names of the new servers have stopped.",
	moves.PredecessorPods:     "waiting until the pods of a deleted Memcached with the same name have stopped, which takes seconds if their nodes respond.",
}
