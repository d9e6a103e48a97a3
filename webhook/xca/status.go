package xca

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// status activates the Xca once. The time is that of the change, not of the call: a time that moved with every sync would
// be a write at every sync.
func status(xca *Xca, now metav1.Time) Status {
	status := Status{Active: true, LastUpdateTime: xca.Status.LastUpdateTime, ObservedGeneration: xca.Generation}
	if !xca.Status.Active || status.LastUpdateTime == nil {
		status.LastUpdateTime = &now
	}
	return status
}
