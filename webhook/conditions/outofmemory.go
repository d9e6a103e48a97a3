package conditions

/*
The kernel killed a container because it used more memory than its limit.

This check looks at the last termination of a container. It is a problem while the container does not run or is not ready. Afterwards it
is a risk for ten minutes: the restart takes about a second, and its only other trace is an empty cache.
*/

// oomKilled is the kubelet's reason for a container that was killed because of its memory.
const oomKilled = "OOMKilled"

// ReasonOOMKilled is for a container that was killed because of its memory.
var ReasonOOMKilled = NewReason(SeverityProblem, Documentation{ID: oomKilled, Uses: usesOf[SeverityRisk],
	Meaning: "A container used more than its memory limit, and its items are lost. `Degraded` is True while the container does not run; afterwards `AtRisk` is True for ten minutes, because it may happen again.",
	Remedy:  "Increase the field that the message names."})

func outOfMemory(container string, remedy Remedy) *Problem {
	return ReasonOOMKilled.Problem("%s", joinSentences("container "+container+" was killed because it used more memory than its limit", remedy.OOMKilled))
}

// recentlyKilled returns the risk of the first container that was killed for its memory within recentPeriod and is ready again.
func recentlyKilled(c checked) Finding {
	var killed Finding
	for _, pod := range c.Pods {
		for _, container := range pod.Status.ContainerStatuses {
			end := container.LastState.Terminated
			if end == nil || end.Reason != oomKilled || !container.Ready {
				continue
			}
			if left := recent(end.FinishedAt.Time, c.Now); left > 0 {
				message := outOfMemory(container.Name, c.Remedies[container.Name]).Message
				killed = Merge(killed, Finding{Risk: ReasonOOMKilled.Risk("%s", podMessage(pod, message)), Wait: left})
			}
		}
	}
	return killed
}
