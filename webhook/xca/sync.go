package xca

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/xca/v1beta1"
)

func sync(request composite.Request[*v1beta1.Xca, childGroups, relatedGroups]) (composite.Desired[v1beta1.XcaStatus], error) {
	return composite.Desired[v1beta1.XcaStatus]{Status: statusOf(request.Parent, request.Now)}, nil
}

// statusOf returns an active status. Its time is that of the change: a time that changed at every sync would be a write at
// every sync.
func statusOf(xca *v1beta1.Xca, now metav1.Time) v1beta1.XcaStatus {
	status := v1beta1.XcaStatus{Active: true, LastUpdateTime: xca.Status.LastUpdateTime, ObservedGeneration: xca.Generation}
	if !xca.Status.Active || status.LastUpdateTime == nil {
		status.LastUpdateTime = &now
	}
	return status
}
