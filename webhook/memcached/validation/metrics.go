package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func validateMetrics(metrics *v1alpha1.Metrics, path *field.Path) field.ErrorList {
	errs := corevalidation.Resources(path.Child("resources"), &metrics.Resources)
	if metrics.ServiceMonitor == nil {
		return errs
	}
	return append(errs, validatePodLabels(path.Child("serviceMonitor", "labels"), metrics.ServiceMonitor.Labels)...)
}
