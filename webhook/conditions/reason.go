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
	documentation *Documentation
	// blocks reports whether nothing progresses until a user acts. Progressing is False then.
	blocks bool
	// stalls reports whether the problem remains until a user acts. Stalled is True then, if nothing else progresses.
	stalls bool
}

// Use is the type and the status of a condition.
type Use struct {
	Type   string
	Status metav1.ConditionStatus
}

// The conditions that most reasons appear in.
var (
	// UsesOfProblem is for a problem that may end without a user.
	UsesOfProblem = []Use{{api.Degraded, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}}
	// UsesOfBlocker is for a problem because of which nothing progresses until a user acts.
	UsesOfBlocker = slices.Concat(UsesOfProblem, []Use{{api.Progressing, metav1.ConditionFalse}, {api.Stalled, metav1.ConditionTrue}})
	// UsesOfProgress is for what a parent waits for.
	UsesOfProgress = []Use{{api.Progressing, metav1.ConditionTrue}, {api.Ready, metav1.ConditionFalse}}
	// UsesOfRisk is for what may become a problem.
	UsesOfRisk = []Use{{api.AtRisk, metav1.ConditionTrue}}
)

// Documentation describes a reason, or a class of reasons, to users. The test in test/golden writes manifests/docs/reasons.md
// from all of them.
type Documentation struct {
	// ID is the reason. The ID of a class has a part in angle brackets, which stands for any letters.
	ID string
	// Parent is the only kind of parent that has the reason; "" for all kinds with pods.
	Parent string
	// Uses are the conditions that may have the reason. The page lists the reason with the first one.
	Uses []Use
	// Meaning is what was observed, in whole sentences.
	Meaning string
	// Remedy is what to do, in whole sentences; "" when there is nothing to do.
	Remedy string
}

// NewReason returns the reason, or the class of reasons, that the documentation describes.
func NewReason(documentation Documentation) Reason {
	return Reason{
		id:            documentation.ID,
		documentation: &documentation,
		blocks:        slices.Contains(documentation.Uses, Use{api.Progressing, metav1.ConditionFalse}),
		stalls:        slices.Contains(documentation.Uses, Use{api.Stalled, metav1.ConditionTrue}),
	}
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
