package conditions

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Messages report what is wrong, where, and what to do. A message stays the same from sync to sync while the cause is the same,
// because each difference is a write of the status.

// Problem is something that serves badly, or a change that is stuck. A parent with a problem is Degraded and not Ready.
type Problem struct {
	Reason  Reason
	Message string
	// Remedy is what to do in the state of the parent, in whole sentences; "" if Message has all there is to do.
	Remedy string
	// others reports whether other pods have the same problem.
	others bool
}

// condition returns a condition with the problem.
func (p *Problem) condition(kind string, status metav1.ConditionStatus) metav1.Condition {
	return NewCondition(kind, status, p.Reason, p.text())
}

// text returns the message and the remedy. A message that quotes a program may have no full stop.
func (p *Problem) text() string {
	message := p.Message
	if p.others {
		message += " (Other pods have the same problem.)"
	}
	switch {
	case p.Remedy == "":
		return message
	case p.others, strings.HasSuffix(message, "."):
		return message + " " + p.Remedy
	}
	return message + ". " + p.Remedy
}

// Progress is what a parent waits for until its observed state is the desired state.
type Progress struct {
	Reason  Reason
	Message string
}

// Risk is what may become a problem, or a problem that is over and may return. A parent with a risk is AtRisk, and may be Ready.
type Risk struct {
	Reason  Reason
	Message string
}

// sentence returns a message. Its texts may come from a container or a user, and are shortened before they are copied. [NewCondition] makes them
// printable, because there are messages for thousands of containers, of which a parent has only the first ones.
func sentence(format string, args []any) string {
	for i, arg := range args {
		if value := reflect.ValueOf(arg); value.Kind() == reflect.String && value.Len() > maxMessage { // also an observed.Message
			args[i] = value.String()[:maxMessage] + "…"
		}
	}
	return fmt.Sprintf(format, args...)
}

// Problem returns a problem with this reason.
func (r Reason) Problem(format string, args ...any) *Problem {
	return &Problem{Reason: r, Message: sentence(format, args)}
}

// Progress returns progress with this reason.
func (r Reason) Progress(format string, args ...any) *Progress {
	return &Progress{Reason: r, Message: sentence(format, args)}
}

// Risk returns a risk with this reason.
func (r Reason) Risk(format string, args ...any) *Risk {
	return &Risk{Reason: r, Message: sentence(format, args)}
}

// Finding is the result of one check. Problem and Risk are nil if the check finds nothing.
type Finding struct {
	Problem *Problem
	Risk    *Risk
	// Wait is the time after which the result may differ although no object changed; 0 if there is no such time.
	Wait time.Duration
}

// Merge returns the first problem and the first risk of several findings, and the shortest wait of all of them.
func Merge(findings ...Finding) Finding {
	var merged Finding
	for _, finding := range findings {
		merged.Problem = cmp.Or(merged.Problem, finding.Problem)
		merged.Risk = cmp.Or(merged.Risk, finding.Risk)
		merged.Wait = Soonest(merged.Wait, finding.Wait)
	}
	return merged
}

// Soonest returns the shortest of several waits. A wait of 0 means that there is none.
func Soonest(waits ...time.Duration) time.Duration {
	shortest := time.Duration(0)
	for _, wait := range waits {
		if wait > 0 && (shortest == 0 || wait < shortest) {
			shortest = wait
		}
	}
	return shortest
}
