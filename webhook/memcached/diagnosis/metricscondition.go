package diagnosis

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
)

// MetricsReady is the condition that reports whether the exporters are ready. A cache without metrics does not have it.
const MetricsReady = "MetricsReady"

/*
The condition MetricsReady.

It looks at spec.metrics and spec.auth, at the readiness of the exporter in each pod, also of proxies, and at whether Metacontroller manages
ServiceMonitors.
*/

// The reasons that only MetricsReady has.
var (
	ReasonExporting         = metricsReason("Exporting", metav1.ConditionTrue, "All exporters are ready.", "")
	ReasonExportersNotReady = metricsReason("ExportersNotReady", metav1.ConditionFalse,
		"There is no pod, or the exporter of a pod is not ready.", "If the cause is known, `Degraded` shows it. Proxies have an exporter only if the operator runs with `--operator-image`.")
	ReasonUnsupportedWithASCII = metricsReason("UnsupportedWithASCII", metav1.ConditionFalse,
		"The exporter does not support ASCII authentication.", "Use `spec.auth.mode: SASL`.")
	ReasonServiceMonitorNotManaged = metricsReason("ServiceMonitorNotManaged", metav1.ConditionFalse,
		"`spec.metrics.serviceMonitor` is set, but the CompositeController does not manage ServiceMonitors.",
		"Add the component [service-monitors](../components/service-monitors/kustomization.yaml), or remove the field.")
)

func metricsReason(id string, status metav1.ConditionStatus, meaning, remedy string) conditions.Reason {
	return conditions.NewReason(conditions.NoFinding, conditions.Documentation{ID: id, Parent: "Memcached", Uses: []conditions.Use{{Type: MetricsReady, Status: status}}, Meaning: meaning, Remedy: remedy})
}

// metricsReady returns the condition MetricsReady; nil without metrics.
func metricsReady(in *Input) *metav1.Condition {
	spec, pods := &in.Memcached.Spec, slices.Concat(in.Pods, in.ProxyPods)
	if !spec.Metrics.Enabled {
		return nil
	}
	ready := 0
	for _, pod := range pods {
		if pod.ContainerReady(children.ExporterName) {
			ready++
		}
	}
	newCondition := func(status metav1.ConditionStatus, reason conditions.Reason, message string) *metav1.Condition {
		condition := conditions.NewCondition(MetricsReady, status, reason, message)
		return &condition
	}
	switch {
	case !spec.HasExporter():
		return newCondition(metav1.ConditionFalse, ReasonUnsupportedWithASCII, "The pods have no exporter, because it does not support spec.auth.mode ASCII. For metrics, set spec.auth.mode to SASL.")
	case len(in.Pods) == 0:
		return newCondition(metav1.ConditionFalse, ReasonExportersNotReady, "There is no pod.")
	case ready < len(pods):
		return newCondition(metav1.ConditionFalse, ReasonExportersNotReady, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
	case spec.Metrics.ServiceMonitor != nil && !in.ListsMonitors:
		return newCondition(metav1.ConditionFalse, ReasonServiceMonitorNotManaged, "The ServiceMonitor is not created, because the CompositeController does not manage ServiceMonitors. Add manifests/components/service-monitors to the installation, or remove spec.metrics.serviceMonitor.")
	}
	return newCondition(metav1.ConditionTrue, ReasonExporting, fmt.Sprintf("The exporters of %d of %d pods are ready.", ready, len(pods)))
}
