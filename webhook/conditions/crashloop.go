package conditions

import (
	"fmt"
	"strings"

	"github.com/example/memcached-operator/webhook/observed"
)

/*
A container exits repeatedly.

This check looks at the last termination of a container that waits for its restart, or has restarted and is not ready. The parent
explains the exit codes of its programs: see Remedies.
*/

// CrashLoopBackOff is the kubelet's reason for a container that waits for its restart.
const CrashLoopBackOff = "CrashLoopBackOff"

// maxLine is the maximum length of the log line that a message quotes, in bytes.
const maxLine = 300

// ReasonCrashLoopBackOff is for a container that exits repeatedly.
var ReasonCrashLoopBackOff = NewReason(SeverityProblem, Documentation{ID: CrashLoopBackOff,
	Meaning: "A container exits repeatedly. The message shows its name, its exit code and what to check.",
	Remedy:  "Check the log of the container with `kubectl logs`."})

func crashed(in *Input, container *observed.ContainerStatus, end *observed.ContainerTerminated) *Problem {
	message := fmt.Sprintf("container %s exits repeatedly with exit code %d", container.Name, end.ExitCode)
	if line := lastLine(string(end.Message)); line != "" {
		message += fmt.Sprintf(" and logs %q", line)
	}
	return ReasonCrashLoopBackOff.Problem("%s", joinSentences(message, in.Remedies[container.Name].ExitCodes[end.ExitCode]))
}

// lastLine returns the last line of a log, in which a program reports why it exits. Earlier lines may differ at every
// restart, and each difference would be a write of the status.
func lastLine(message string) string {
	message = strings.TrimSpace(message)
	last := strings.TrimSpace(message[strings.LastIndexByte(message, '\n')+1:])
	return strings.ToValidUTF8(last[:min(len(last), maxLine)], "")
}

// joinSentences returns a sentence with the fact, and one with the remedy when there is any.
func joinSentences(fact, remedy string) string {
	if remedy == "" {
		return fact + "."
	}
	return fact + ". " + strings.ToUpper(remedy[:1]) + remedy[1:] + "."
}
