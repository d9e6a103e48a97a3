package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Duration is a number with a unit, such as 30s, 5m or 1h. The minimum is 1s.
//
// +kubebuilder:validation:MaxLength=7
// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]{0,4}(s|m|h)$')",message="must be a duration such as 30s, 5m or 1h"
type Duration string

// Metrics configures the metrics exporter for Prometheus. It runs in each pod and listens on port 9150.
//
// +kubebuilder:validation:XValidation:rule="!has(self.serviceMonitor) || self.enabled",message="serviceMonitor requires enabled, because there is nothing to monitor without an exporter"
type Metrics struct {
	// enabled adds the exporter to the servers and the proxies.
	// +optional
	// +kubebuilder:default=false
	Enabled bool `json:"enabled,omitempty"`
	// image is the image of the exporter of the servers. The proxies use the exporter of the operator's image. Defaults to a version of
	// prom/memcached-exporter that each release of the operator pins.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.metrics.image must be the name of one image: ASCII characters without spaces"
	Image string `json:"image,omitempty"`
	// resources are the resources of each exporter container. Defaults to requests of 10m CPU and 32Mi memory, and a memory limit of 64Mi.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!has(self.limits) || size(self.limits) <= 64) && (!has(self.requests) || size(self.requests) <= 64)",message="must have at most 64 limits and 64 requests"
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// serviceMonitor creates a ServiceMonitor of the Prometheus Operator. Use {} for the defaults. It requires the ServiceMonitor CRD in the
	// cluster, and the kustomize component manifests/components/service-monitors in the installation.
	// +optional
	// +nullable
	ServiceMonitor *ServiceMonitor `json:"serviceMonitor,omitempty"`
}

// ServiceMonitor configures how Prometheus scrapes the exporters.
//
// +kubebuilder:validation:XValidation:rule="!has(self.interval) || !has(self.scrapeTimeout) || [self.interval, self.scrapeTimeout].exists(each, !each.matches('^[1-9][0-9]{0,4}(s|m|h)$')) || duration(self.scrapeTimeout) <= duration(self.interval)",message="scrapeTimeout must not be greater than interval, because Prometheus refuses such a configuration"
type ServiceMonitor struct {
	// interval is the time between two scrapes. Defaults to the scrape interval of Prometheus.
	// +optional
	Interval Duration `json:"interval,omitempty"`
	// scrapeTimeout is the timeout of a scrape. Defaults to the scrape timeout of Prometheus.
	// +optional
	ScrapeTimeout Duration `json:"scrapeTimeout,omitempty"`
	// labels are additional labels of the ServiceMonitor, such as the labels that Prometheus selects.
	// +optional
	Labels Labels `json:"labels,omitempty"`
}
