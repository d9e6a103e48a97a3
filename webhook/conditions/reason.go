package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/api"
)

// Reason is the reason of a condition. Users see it and search for it. Only [NewReason] returns a reason that is not empty,
// so that each reason of a condition has a [Documentation].
type Reason struct {
	id            string
	severity      Severity
	documentation *Documentation
}

// Severity is what a finding with a reason means. Those from SeverityStalled on remain until a user acts: Stalled is True if nothing else
// progresses. Because of those from SeverityBlocker on nothing progresses until then, so Progressing is False.
type Severity int

const (
	// NoFinding is for a reason that reports a state.
	NoFinding Severity = iota
	// SeverityRisk is for what may become a problem.
	SeverityRisk
	// SeverityProgress is for what a parent waits for.
	SeverityProgress
	// SeverityProblem is for a problem that may end without a user.
	SeverityProblem
	// SeverityStalled is for a problem that remains until a user acts.
	SeverityStalled
	// SeverityBlocker is for a problem because of which nothing progresses until a user acts.
	SeverityBlocker
	// SeverityOverdue is for progress that becomes a blocker after a minute.
	SeverityOverdue
)

// Use is the type and the status of a condition.
type Use struct {
	Type   string
	Status metav1.ConditionStatus
}

// usesOf are the conditions that may have a reason of each severity.
var usesOf = map[Severity][]Use{
	SeverityRisk:     {{api.AtRisk, metav1.ConditionTrue}},
	SeverityProgress: {{api.Progressing, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}},
	SeverityProblem:  {{api.Degraded, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}},
	SeverityStalled:  {{api.Degraded, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}, {api.Stalled, metav1.ConditionTrue}},
	SeverityBlocker: {
		{api.Degraded, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse},
		{api.Progressing, metav1.ConditionFalse}, {api.Stalled, metav1.ConditionTrue},
	},
	SeverityOverdue: {
		{api.Degraded, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}, {api.Progressing, metav1.ConditionTrue},
		{api.Progressing, metav1.ConditionFalse}, {api.Stalled, metav1.ConditionTrue},
	},
}

// Documentation describes a reason, or a class of reasons, to users. The test in test/golden writes manifests/docs/reasons.md
// from all of them.
type Documentation struct {
	// ID is the reason. The ID of a class has a part in angle brackets, which stands for any letters.
	ID string
	// Parent is the only kind of parent that has the reason; "" for all kinds with pods.
	Parent string
	// Uses are the conditions that may have the reason. The page lists the reason with the first one. [NewReason] puts those of the
	// severity first.
	Uses []Use
	// Meaning is what was observed, in whole sentences.
	Meaning string
	// Remedy is what to do, in whole sentences; "" if there is nothing to do.
	Remedy string
}

// NewReason returns the reason, or the class of reasons, that the documentation describes.
func NewReason(severity Severity, documentation Documentation) Reason {
	documentation.Uses = slices.Concat(usesOf[severity], documentation.Uses)
	return Reason{documentation.ID, severity, &documentation}
}

// Documentation returns the documentation of the reason, or of its class.
func (r Reason) Documentation() Documentation { return *r.documentation }

// String returns the reason as conditions have it.
func (r Reason) String() string { return r.id }

// named returns a reason of the class r.
func (r Reason) named(id string) Reason {
	r.id = id
	return r
}
