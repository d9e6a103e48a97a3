package diagnosis

import (
	"maps"
	"strings"

	"github.com/example/memcached-operator/webhook/conditions"
	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// operatorImage sets the image of this program in pods that are created or replaced later.
const operatorImage = "the operator's flag --operator-image"

// containerFields are what sets the fields of containers, by their names. A field that is missing here cannot be set.
var containerFields = map[string]string{
	children.ContainerName + ".image":           "spec.image",
	children.ContainerName + ".imagePullPolicy": "spec.imagePullPolicy",
	children.ContainerName + ".resources":       "spec.resources",
	children.ContainerName + ".securityContext": "spec.securityContext",
	children.ExporterName + ".image":            "spec.metrics.image",
	children.ExporterName + ".imagePullPolicy":  "spec.imagePullPolicy",
	children.ExporterName + ".resources":        "spec.metrics.resources",
	children.ReloaderName + ".image":            operatorImage,
	children.ReloaderName + ".imagePullPolicy":  "spec.imagePullPolicy",
	children.ReloaderName + ".resources":        "spec.helperResources",

	children.ReloaderName + ".securityContext.runAsUser":    "spec.securityContext.runAsUser",
	children.ReloaderName + ".securityContext.runAsGroup":   "spec.securityContext.runAsGroup",
	children.ReloaderName + ".securityContext.runAsNonRoot": "spec.securityContext.runAsNonRoot",

	children.HoldName + ".image":             operatorImage,
	children.HoldName + ".resources":         "spec.helperResources",
	proxy.ContainerName + ".image":           "spec.image",
	proxy.ContainerName + ".imagePullPolicy": "spec.imagePullPolicy",
	proxy.ContainerName + ".resources":       "spec.proxy.resources",
	proxy.ContainerName + ".securityContext": "spec.securityContext",
	proxy.ReachName + ".image":               operatorImage,
	proxy.ReachName + ".resources":           "spec.helperResources",
}

// podFields are the fields of spec that set those of pods.
var podFields = map[string]string{
	"spec.affinity":                      "spec.affinity",
	"spec.imagePullSecrets":              "spec.imagePullSecrets",
	"spec.nodeSelector":                  "spec.nodeSelector",
	"spec.priorityClassName":             "spec.priorityClassName",
	"spec.securityContext":               "spec.podSecurityContext",
	"spec.serviceAccountName":            "spec.serviceAccountName",
	"spec.terminationGracePeriodSeconds": "spec.terminationGracePeriodSeconds",
	"spec.tolerations":                   "spec.tolerations",
	"spec.topologySpreadConstraints":     "spec.topologySpreadConstraints",
}

// SpecField returns the [conditions.SpecField] of a cache.
func SpecField(memcached *v1alpha1.Memcached) conditions.SpecField {
	return func(child, path string) string {
		container, field, isContainer := conditions.ContainerField(path)
		if container == children.ExporterName && field == "image" && child == proxy.Name(memcached) {
			return operatorImage
		}
		if isContainer {
			return longestPrefix(containerFields, container+"."+field)
		}
		fields := maps.Clone(podFields)
		if child == proxy.Name(memcached) { // proxies have their own placement
			delete(fields, "spec.affinity")
			delete(fields, "spec.topologySpreadConstraints")
			fields["spec.affinity.nodeAffinity"] = "spec.affinity.nodeAffinity"
		}
		for label := range memcached.Spec.PodLabels {
			fields["metadata.labels."+label] = "spec.podLabels." + label
		}
		for annotation := range memcached.Spec.PodAnnotations {
			fields["metadata.annotations."+annotation] = "spec.podAnnotations." + annotation
		}
		return longestPrefix(fields, path)
	}
}

// longestPrefix returns the value of a path, or that of the field around it, with the rest of the path; "" if there is none.
func longestPrefix(fields map[string]string, path string) string {
	for end := len(path); end > 0; end = strings.LastIndex(path[:end], ".") {
		if field, found := fields[path[:end]]; found {
			return field + path[end:]
		}
	}
	return ""
}
