package validation

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var durationPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}(s|m|h)$`)

// validateMetrics repeats rules of the CRD. Reason: child.
func validateMetrics(metrics *v1alpha1.Metrics, path *field.Path) field.ErrorList {
	errs := corevalidation.Resources(path.Child("resources"), &metrics.Resources)
	errs = append(errs, corevalidation.HugePages(path.Child("resources"), &metrics.Resources)...)
	errs = append(errs, corevalidation.Image(path.Child("image"), metrics.Image)...)
	monitor := metrics.ServiceMonitor
	if monitor == nil {
		return errs
	}
	path = path.Child("serviceMonitor")
	errs = append(errs, validateDuration(path.Child("interval"), monitor.Interval)...)
	errs = append(errs, validateDuration(path.Child("scrapeTimeout"), monitor.ScrapeTimeout)...)
	return append(errs, validatePodLabels(path.Child("labels"), monitor.Labels)...)
}

func validateDuration(path *field.Path, duration v1alpha1.Duration) field.ErrorList {
	if duration == "" || durationPattern.MatchString(string(duration)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, duration, "must be a duration such as 30s, 5m or 1h")}
}
