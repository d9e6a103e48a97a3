// Package resources builds children, and parts of children, that several parents have in common.
package resources

import "maps"

// Labels returns the labels of a parent's child: the labels of the selector, and the labels that Kubernetes recommends,
// which are never part of a selector.
//
// https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
func Labels(selector map[string]string, name, instance, component string) map[string]string {
	labels := map[string]string{
		"app.kubernetes.io/name":       name,
		"app.kubernetes.io/instance":   instance,
		"app.kubernetes.io/component":  component,
		"app.kubernetes.io/managed-by": "memcached-operator",
	}
	maps.Copy(labels, selector)
	return labels
}
