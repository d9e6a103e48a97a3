package check

import "maps"

// later returns the requests about settled children after other controllers have set their status: first all are ready, then none is,
// or it has failed. Metacontroller has no part in a status.
func (c CRDs) later(settled Case) (cases []Case) {
	for _, phase := range []string{"ready", "not ready"} {
		request, changed := clone(settled.Request), false
		for _, group := range object(request["children"]) {
			for _, child := range object(group) {
				if status := c.statusOf(object(child), phase == "ready"); status != nil {
					object(child)["status"], changed = clone(status), true
				}
			}
		}
		if changed {
			cases = append(cases, Case{settled.Name, "sync", request, phase})
		}
	}
	return cases
}

// statusOf returns the status of a child that is ready, or is not ready or has failed; nil for a kind without one.
func (c CRDs) statusOf(child map[string]any, ready bool) map[string]any {
	replicas, isSet := at(child, "spec", "replicas").(float64)
	if !isSet {
		replicas = 1
	}
	up := replicas
	if !ready {
		up = 0
	}
	generation := at(child, "metadata", "generation")
	switch text(child, "kind") {
	case "Deployment":
		return map[string]any{"observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": up, "availableReplicas": up,
			"unavailableReplicas": replicas - up, "conditions": conditions(ready, "Available", "Progressing")}
	case "StatefulSet":
		return map[string]any{"observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas, "currentReplicas": replicas, "readyReplicas": up,
			"availableReplicas": up, "currentRevision": "a", "updateRevision": "a"}
	case "DaemonSet":
		return map[string]any{"observedGeneration": generation, "desiredNumberScheduled": 1, "currentNumberScheduled": 1, "updatedNumberScheduled": 1,
			"numberReady": up, "numberAvailable": up, "numberMisscheduled": 0}
	case "Job":
		if ready {
			return map[string]any{"succeeded": 1, "ready": 0, "startTime": stamp, "completionTime": stamp, "conditions": conditions(true, "SuccessCriteriaMet", "Complete")}
		}
		return map[string]any{"failed": 1, "ready": 0, "startTime": stamp, "conditions": conditions(true, "FailureTarget", "Failed")}
	case "Pod":
		phase := map[bool]string{true: "Running", false: "Failed"}[ready]
		return map[string]any{"phase": phase, "podIP": "10.0.0.1", "startTime": stamp, "conditions": conditions(ready, "Ready", "ContainersReady")}
	case "PersistentVolumeClaim":
		return map[string]any{"phase": map[bool]string{true: "Bound", false: "Lost"}[ready]}
	case "Service", "Ingress":
		if ready && (text(child, "spec", "type") == "LoadBalancer" || text(child, "kind") == "Ingress") {
			return map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}
		}
		return nil
	}
	return c.customStatus(child, ready)
}

// customStatus returns the condition Ready if the CRD of a child has conditions.
func (c CRDs) customStatus(child map[string]any, ready bool) map[string]any {
	crd := c.of(child)
	if crd == nil || len(crd.Schema.Properties["status"].Properties["conditions"].Type) == 0 {
		return nil
	}
	status := maps.Clone(object(child["status"]))
	if status == nil {
		status = map[string]any{}
	}
	status["conditions"] = conditions(ready, "Ready")
	return status
}

// stamp is the time of all changes of a status.
const stamp = "2026-01-01T00:00:02Z"

func conditions(hold bool, types ...string) (all []any) {
	status := map[bool]string{true: "True", false: "False"}[hold]
	for _, each := range types {
		all = append(all, map[string]any{"type": each, "status": status, "reason": "Observed", "message": "", "lastTransitionTime": stamp, "lastUpdateTime": stamp, "lastProbeTime": stamp})
	}
	return all
}
