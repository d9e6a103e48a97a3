package conditions

/*
A Deployment is paused.

This check looks at spec.paused of the workload. The operator does not set the field, so only a user can reset it.
*/

// ReasonPaused is for a Deployment that a user has paused.
var ReasonPaused = NewReason(SeverityBlocker, Documentation{ID: "Paused",
	Meaning: "The Deployment is paused, so changes are not rolled out.",
	Remedy:  "Run `kubectl rollout resume deployment NAME`."})

func paused(c checked) Finding {
	workload := c.Workload
	if workload == nil || !workload.Spec.Paused {
		return Finding{}
	}
	return Finding{Problem: ReasonPaused.Problem("Deployment %s is paused, so changes are not rolled out. To resume it, run: kubectl rollout resume deployment %s -n %s",
		workload.Name, workload.Name, workload.Namespace)}
}
