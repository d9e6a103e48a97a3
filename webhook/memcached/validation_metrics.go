package memcached

import (
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var durationPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}(ms|s|m|h)$`)

func validateMetrics(metrics *v1alpha1.Metrics, path *field.Path) field.ErrorList {
	errs := corevalidation.Resources(path.Child("resources"), &metrics.Resources)
	errs = append(errs, corevalidation.HugePages(path.Child("resources"), &metrics.Resources)...)
	errs = append(errs, corevalidation.Image(path.Child("image"), metrics.Image)...)
	monitor := metrics.ServiceMonitor
	if monitor == nil {
		return errs
	}
	path = path.Child("serviceMonitor")
	if !metrics.Enabled {
		errs = append(errs, field.Forbidden(path, "it needs spec.metrics.enabled: without an exporter there is nothing to monitor"))
	}
	errs = append(errs, validateDuration(path.Child("interval"), monitor.Interval)...)
	errs = append(errs, validateDuration(path.Child("scrapeTimeout"), monitor.ScrapeTimeout)...)
	errs = append(errs, podLabelsAllowed(path.Child("labels"), monitor.Labels)...)
	if len(errs) == 0 && monitor.Interval != "" && monitor.ScrapeTimeout != "" && parsed(monitor.ScrapeTimeout) > parsed(monitor.Interval) {
		errs = append(errs, field.Invalid(path.Child("scrapeTimeout"), monitor.ScrapeTimeout, "must not be above interval: Prometheus refuses that"))
	}
	return errs
}

func validateDuration(path *field.Path, given v1alpha1.Duration) field.ErrorList {
	if given == "" || durationPattern.MatchString(string(given)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, given, "must be a time as 500ms, 30s, 5m or 1h")}
}

// parsed returns a valid duration.
func parsed(valid v1alpha1.Duration) time.Duration {
	duration, _ := time.ParseDuration(string(valid)) // the pattern accepts less than ParseDuration
	return duration
}
