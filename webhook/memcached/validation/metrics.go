package validation

import (
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

var durationPattern = regexp.MustCompile(`^[1-9][0-9]{0,4}(s|m|h)$`)

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
		errs = append(errs, field.Forbidden(path, "serviceMonitor requires enabled: without an exporter there is nothing to monitor"))
	}
	errs = append(errs, validateDuration(path.Child("interval"), monitor.Interval)...)
	errs = append(errs, validateDuration(path.Child("scrapeTimeout"), monitor.ScrapeTimeout)...)
	errs = append(errs, validatePodLabels(path.Child("labels"), monitor.Labels)...)
	if len(errs) == 0 && monitor.Interval != "" && monitor.ScrapeTimeout != "" && parseDuration(monitor.ScrapeTimeout) > parseDuration(monitor.Interval) {
		errs = append(errs, field.Invalid(path.Child("scrapeTimeout"), monitor.ScrapeTimeout, "must not be greater than interval: Prometheus refuses such a configuration"))
	}
	return errs
}

func validateDuration(path *field.Path, duration v1alpha1.Duration) field.ErrorList {
	if duration == "" || durationPattern.MatchString(string(duration)) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, duration, "must be a duration such as 30s, 5m or 1h")}
}

// parseDuration parses a duration that matches durationPattern. time.ParseDuration accepts every such duration.
func parseDuration(valid v1alpha1.Duration) time.Duration {
	duration, _ := time.ParseDuration(string(valid))
	return duration
}
