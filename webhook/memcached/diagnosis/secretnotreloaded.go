package diagnosis

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/observed"
)

/*
memcached does not accept a changed Secret.

This check looks at the last termination of the reloader: it exits with 1 and the message of memcached. The kubelet keeps only the last
termination, so the former condition SecretsCurrent is valid until a killed reloader can report again.
*/

// ReasonSecretNotReloaded is for memcached that keeps using the earlier content of a Secret.
var ReasonSecretNotReloaded = conditions.NewReason(conditions.SeverityStalled, conditions.Documentation{ID: "SecretNotReloaded", Parent: "Memcached",
	Uses:    []conditions.Use{{Type: SecretsCurrent, Status: metav1.ConditionFalse}},
	Meaning: "memcached does not accept a changed Secret and keeps using the old content. The message is from memcached.",
	Remedy:  "Correct the Secret: [Rotation](security.md#rotation)."})

// reportPeriod is how long a killed reloader may take to report a failure again: it waits for half a minute and needs time
// to start. Until then its earlier report is valid.
const reportPeriod = 2 * time.Minute

// secretNotReloaded returns the problem of the first pod whose memcached does not accept a changed Secret and keeps using the
// earlier content. All pods must have the current pod template, because an earlier one may use other Secrets.
func secretNotReloaded(in *Input) conditions.Finding {
	users := in.secretUsers()
	if !users.reload || !users.rollout.AllUpdated() {
		return conditions.Finding{}
	}
	before := meta.FindStatusCondition(in.Memcached.Status.Conditions, SecretsCurrent)
	for _, pod := range users.pods {
		end := reloaderEnd(pod)
		switch {
		case end == nil:
		case end.ExitCode == 1 && end.Message != "":
			return conditions.Finding{Problem: ReasonSecretNotReloaded.Problem(
				"Pod %s: memcached does not accept %s: %s", pod.Name, secretNames(&in.Memcached.Spec, "or"), end.Message)}
		case end.ExitCode != 0 && before != nil && before.Reason == ReasonSecretNotReloaded.String():
			if left := end.FinishedAt.Add(reportPeriod).Sub(in.Now.Time); left > 0 {
				return conditions.Finding{Problem: ReasonSecretNotReloaded.Problem("%s", before.Message), Wait: min(left, reportPeriod)}
			}
		}
	}
	return conditions.Finding{}
}

// reloaderEnd returns the last termination of the reloader of a pod; nil if it has never terminated. The reloader exits with
// 1 to report that memcached does not accept a Secret, and with 0 after memcached accepts it again.
func reloaderEnd(pod *observed.Pod) *observed.ContainerTerminated {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name != children.ReloaderName {
			continue
		}
		if container.State.Terminated != nil {
			return container.State.Terminated
		}
		return container.LastState.Terminated
	}
	return nil
}
