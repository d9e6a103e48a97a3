package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

/*
The reasons of conditions that report a state, not a finding.

Available looks at the readiness of the pods and of the container that serves. Ready, Progressing and Degraded have these
reasons when no check finds anything.
*/
var (
	ReasonReplicaReady = NewReason(Documentation{ID: "ReplicaReady", Uses: []Use{{api.Available, metav1.ConditionTrue}},
		Meaning: "At least one pod is ready."})
	ReasonServing = NewReason(Documentation{ID: "Serving", Uses: []Use{{api.Available, metav1.ConditionTrue}},
		Meaning: "A pod serves, but another container of the pod, the exporter, the reloader or the hold, is not ready.",
		Remedy:  "`Degraded` or `MetricsReady` has the cause."})
	ReasonNoReplicaReady = NewReason(Documentation{ID: "NoReplicaReady", Uses: []Use{{api.Available, metav1.ConditionFalse}},
		Meaning: "No pod is ready, so clients are not served.",
		Remedy:  "`Degraded` has the cause, if it is known."})
	ReasonNoProxyReady = NewReason(Documentation{ID: "NoProxyReady", Parent: "Memcached", Uses: []Use{{api.Available, metav1.ConditionFalse}},
		Meaning: "No proxy is ready, so clients of its address are not served.",
		Remedy:  "`Degraded` has the cause, if it is known."})
	ReasonScaledToZero = NewReason(Documentation{ID: "ScaledToZero",
		Uses:    []Use{{api.Available, metav1.ConditionFalse}, {api.Ready, metav1.ConditionTrue}},
		Meaning: "The spec desires no pod, and none runs."})
	ReasonAllReplicasReady = NewReason(Documentation{ID: "AllReplicasReady", Uses: []Use{{api.Ready, metav1.ConditionTrue}},
		Meaning: "Every child is in the desired state, and all pods are ready."})
	ReasonSettled = NewReason(Documentation{ID: "Settled", Uses: []Use{{api.Progressing, metav1.ConditionFalse}},
		Meaning: "The observed state is the desired state."})
	ReasonAsExpected = NewReason(Documentation{ID: "AsExpected", Uses: []Use{{api.Degraded, metav1.ConditionFalse}},
		Meaning: "No check finds a problem."})
)
