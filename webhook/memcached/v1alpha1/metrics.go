package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Duration is a time as 500ms, 30s, 5m or 1h.
//
// +kubebuilder:validation:MaxLength=7
// +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,4}(ms|s|m|h)$`
type Duration string

// Metrics adds to each pod an exporter of memcached's statistics for Prometheus, on port 9150.
//
// +kubebuilder:validation:XValidation:rule="!has(self.serviceMonitor) || has(self.enabled) && self.enabled",message="serviceMonitor needs enabled: without an exporter there is nothing to monitor"
// +kubebuilder:validation:XValidation:rule="!has(self.resources) || !has(self.resources.limits) || !has(self.resources.requests) || ['cpu', 'memory'].all(name, !(name in self.resources.limits) || !(name in self.resources.requests) || quantity(string(self.resources.requests[name])).compareTo(quantity(string(self.resources.limits[name]))) <= 0)",message="spec.metrics.resources.requests must not be above spec.metrics.resources.limits"
type Metrics struct {
	// enabled adds the exporter. By default false.
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// image is the exporter's image; by default a current one of prom/memcached-exporter, which changes with the
	// operator's version.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$')",message="spec.metrics.image must be the name of one image: ASCII characters without blanks"
	Image string `json:"image,omitempty"`
	// resources are what one exporter may use. By default little.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`
	// serviceMonitor makes a ServiceMonitor of the Prometheus operator, {} one with its defaults. It needs a cluster that
	// has the kind, and a CompositeController that lists it: manifests/components/service-monitors.
	// +optional
	ServiceMonitor *ServiceMonitor `json:"serviceMonitor,omitempty"`
}

// ServiceMonitor tells the Prometheus operator to scrape the exporters.
//
// +kubebuilder:validation:XValidation:rule="!has(self.interval) || !has(self.scrapeTimeout) || duration(self.scrapeTimeout) <= duration(self.interval)",message="scrapeTimeout must not be above interval: Prometheus refuses that"
type ServiceMonitor struct {
	// interval is the time from one scrape to the next. By default Prometheus' own.
	// +optional
	Interval Duration `json:"interval,omitempty"`
	// scrapeTimeout is how long a scrape may take. By default Prometheus' own.
	// +optional
	ScrapeTimeout Duration `json:"scrapeTimeout,omitempty"`
	// labels are more labels of the ServiceMonitor, by which a Prometheus selects it.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key in ['app', 'memcached_cr', 'app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/component', 'app.kubernetes.io/managed-by', 'controller-uid', 'pod-template-hash', 'controller-revision-hash', 'statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index'])",message="must not set a label by which the cache's objects are found or told apart: app, memcached_cr, app.kubernetes.io/name, instance, component and managed-by, and those of the workload"
	Labels map[string]LabelValue `json:"labels,omitempty"`
}
