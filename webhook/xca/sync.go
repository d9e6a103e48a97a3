package xca

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
)

func sync(request composite.Observed[*Xca, childGroups, relatedGroups]) (composite.Desired[Status], error) {
	return composite.Desired[Status]{Status: statusOf(request.Parent, request.Now)}, nil
}

// statusOf returns an active status. Its time is that of the change: a time that changed at every sync would be a write at
// every sync.
func statusOf(xca *Xca, now metav1.Time) Status {
	status := Status{Active: true, LastUpdateTime: xca.Status.LastUpdateTime, ObservedGeneration: xca.Generation}
	if !xca.Status.Active || status.LastUpdateTime == nil {
		status.LastUpdateTime = &now
	}
	return status
}
