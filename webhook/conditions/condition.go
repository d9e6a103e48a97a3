package conditions

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/text"
)

// maxMessage is the maximum length of a condition's message, in bytes. The API server refuses messages above 32768
// bytes, and a message that long does not help a reader.
const maxMessage = 1000

// NewCondition returns a condition that the API server accepts. Reason and message may come from a kubelet or a registry.
func NewCondition(kind string, status metav1.ConditionStatus, reason Reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: validReason(reason.id), Message: text.Printable(message, maxMessage)}
}

// validReason returns the letters and digits of a reason, from the first letter on; "Unknown" when there is no letter.
//
// https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Condition
func validReason(reason string) string {
	isLetter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	kept := strings.Map(func(r rune) rune {
		if isLetter(r) || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, reason)
	kept = strings.TrimLeft(kept, "0123456789")
	if kept == "" {
		return "Unknown"
	}
	return kept[:min(len(kept), 256)]
}
