package diagnosis

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
)

// SecretsCurrent is the condition that reports whether memcached uses the current content of its Secrets. A cache does not
// have the condition if it has no Secrets, or if memcached reads them at each login.
const SecretsCurrent = "SecretsCurrent"

/*
The condition SecretsCurrent.

It looks at what the pods report about their Secrets: see secretnotmounted.go and secretnotreloaded.go. The hook reads no Secrets.
*/

// The reasons that only SecretsCurrent has.
var (
	ReasonLoaded = conditions.NewReason(conditions.NoFinding, conditions.Documentation{ID: "Loaded", Parent: "Memcached", Uses: []conditions.Use{{Type: SecretsCurrent, Status: metav1.ConditionTrue}},
		Meaning: "memcached uses the latest content of its Secrets that the pods have received."})
	ReasonNoPodRunning = conditions.NewReason(conditions.NoFinding, conditions.Documentation{ID: "NoPodRunning", Parent: "Memcached", Uses: []conditions.Use{{Type: SecretsCurrent, Status: metav1.ConditionUnknown}},
		Meaning: "No pod runs memcached and the reloader, so the operator cannot tell whether memcached accepts the Secrets."})
	ReasonReadAtStart = conditions.NewReason(conditions.NoFinding, conditions.Documentation{ID: "ReadAtStart", Parent: "Memcached", Uses: []conditions.Use{{Type: SecretsCurrent, Status: metav1.ConditionUnknown}},
		Meaning: "The pods have no reloader, because the operator ran without `--operator-image` when they were created. memcached reads a changed Secret only when its pod starts.",
		Remedy:  "Run the operator with `--operator-image`. The next change to the pod template, for example to `spec.podAnnotations`, replaces the pods with pods that have the reloader."})
)

// secretsCurrent returns the condition SecretsCurrent; nil if the cache does not have it. The problem is that of the Secrets.
func secretsCurrent(in *Input, problem *conditions.Problem) *metav1.Condition {
	spec, users := &in.Memcached.Spec, in.secretUsers()
	if !spec.NeedsReloader() {
		return nil
	}
	status, reason := metav1.ConditionTrue, ReasonLoaded
	message := fmt.Sprintf("memcached uses the latest content of %s that the pods have received.", secretNames(spec, "and"))
	switch {
	case !users.reload:
		status, reason = metav1.ConditionUnknown, ReasonReadAtStart
		message = fmt.Sprintf("memcached reads %s only when it starts, because the pods have no reloader. Run the operator with --operator-image; the next change to the pod template, for example to spec.podAnnotations, adds the reloader.", secretNames(spec, "and"))
	case problem != nil:
		status, reason, message = metav1.ConditionFalse, problem.Reason, problem.Message
	case !slices.ContainsFunc(users.pods, users.reloads):
		status, reason = metav1.ConditionUnknown, ReasonNoPodRunning
		message = fmt.Sprintf("No pod runs memcached and the reloader, so the operator cannot tell whether memcached accepts %s.", secretNames(spec, "and"))
	}
	condition := conditions.NewCondition(SecretsCurrent, status, reason, message)
	return &condition
}

// secretUsers are the pods that load the Secrets of spec.
type secretUsers struct {
	pods      []*observed.Pod
	container string
	rollout   conditions.Rollout
	// reload reports whether the pods have the reloader.
	reload bool
}

// secretUsers returns the servers, or the proxies in front of them.
func (in *Input) secretUsers() secretUsers {
	if in.ProxyAssessment != nil {
		return secretUsers{in.ProxyPods, proxy.ContainerName, in.ProxyAssessment.Rollout, in.ProxiesReload}
	}
	return secretUsers{in.Pods, children.ContainerName, in.Rollout, in.Images.HasReloader()}
}

// reloads reports whether memcached and the reloader run in a pod.
func (s *secretUsers) reloads(pod *observed.Pod) bool {
	return pod.ContainerRunning(s.container) && pod.ContainerRunning(children.ReloaderName)
}

// secretNames returns the names of the Secrets that memcached does not reload by itself, with "and" or "or" between them.
func secretNames(spec *v1alpha1.MemcachedSpec, conjunction string) string {
	switch {
	case spec.TLS != nil && spec.AuthMode() == v1alpha1.AuthASCII && spec.TLS.SecretName != spec.Auth.SecretName:
		return fmt.Sprintf("Secret %s %s Secret %s", spec.TLS.SecretName, conjunction, spec.Auth.SecretName)
	case spec.TLS != nil:
		return "Secret " + spec.TLS.SecretName
	}
	return "Secret " + spec.Auth.SecretName
}
