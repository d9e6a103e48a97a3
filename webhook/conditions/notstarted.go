package conditions

import "github.com/example/memcached-operator/webhook/observed"

/*
A container does not start, for another reason than its image or its exits.

This check looks at a waiting container. It takes over reason and message of the kubelet. A container that is being created has no
problem.
*/

// ReasonNotStarted is the class of reasons that the kubelet sets for a container that does not start.
var ReasonNotStarted = NewReason(SeverityProblem, Documentation{ID: "<the kubelet's reason>",
	Meaning: "A container does not start. The reason and the message are from the kubelet, for example `CreateContainerConfigError`, `CreateContainerError`, `RunContainerError`, `InvalidImageName` or `ErrImageNeverPull`.",
	Remedy:  "Check the object or the command that the message names, such as a Secret of `spec`."})

func notStarted(_ *Input, container *observed.ContainerStatus, _ *observed.ContainerTerminated) *Problem {
	waiting := container.State.Waiting
	return ReasonNotStarted.named(waiting.Reason).Problem("container %s does not start: %s", container.Name, waiting.Message)
}
