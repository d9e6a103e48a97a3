package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SampleFiles returns the paths of the repository's samples.
func (c *Cluster) SampleFiles() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(c.root, "manifests", "samples", "*.yaml"))
	if err != nil {
		return nil, err
	}
	samples := files[:0]
	for _, file := range files {
		if filepath.Base(file) != "kustomization.yaml" {
			samples = append(samples, file)
		}
	}
	return samples, nil
}

// ApplySamples applies every sample. The namespace is default unless the sample has one.
func (c *Cluster) ApplySamples(ctx context.Context) error {
	files, err := c.SampleFiles()
	if err != nil {
		return err
	}
	for _, file := range files {
		objects, err := readObjects(file)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if namespaced, err := c.Client.IsObjectNamespaced(o); err != nil {
				return fmt.Errorf("apply %s: %w", file, err)
			} else if namespaced && o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("samples")); err != nil {
				return fmt.Errorf("apply %s: %w", file, err)
			}
		}
	}
	return nil
}

// Parents lists the parents of every CompositeController.
func (c *Cluster) Parents(ctx context.Context) ([]unstructured.Unstructured, error) {
	var parents []unstructured.Unstructured
	var controllers unstructured.UnstructuredList
	controllers.SetGroupVersionKind(schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeControllerList"})
	if err := c.Client.List(ctx, &controllers); err != nil {
		return nil, err
	}
	for _, controller := range controllers.Items {
		apiVersion, _, _ := unstructured.NestedString(controller.Object, "spec", "parentResource", "apiVersion")
		resource, _, _ := unstructured.NestedString(controller.Object, "spec", "parentResource", "resource")
		version, err := schema.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, fmt.Errorf("CompositeController %s: %w", controller.GetName(), err)
		}
		kind, err := c.Client.RESTMapper().KindFor(version.WithResource(resource))
		if err != nil {
			return nil, fmt.Errorf("CompositeController %s: %w", controller.GetName(), err)
		}
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(kind)
		if err := c.Client.List(ctx, &list); err != nil {
			return nil, err
		}
		parents = append(parents, list.Items...)
	}
	return parents, nil
}

// Settled reports whether the status is up to date with the spec, and Ready is True if the parent has this condition.
func Settled(parent *unstructured.Unstructured) bool {
	observed, _, _ := unstructured.NestedInt64(parent.Object, "status", "observedGeneration")
	ready := Condition(parent, "Ready")
	return observed == parent.GetGeneration() && (ready == nil || ready["status"] == "True")
}

// Condition returns the parent's condition of the type, or nil.
func Condition(parent *unstructured.Unstructured, conditionType string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(parent.Object, "status", "conditions")
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] == conditionType {
			return condition
		}
	}
	return nil
}

// WaitEstablished waits until the API server serves the resources of CRDs. kubectl wait fails when a CRD has no conditions yet.
func (c *Cluster) WaitEstablished(ctx context.Context, crds ...string) error {
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	return poll(ctx, time.Minute, fmt.Sprintf("the API server serves %q", crds), func(ctx context.Context) error {
		for _, name := range crds {
			if err := c.Client.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
				return err
			}
			if condition := Condition(crd, "Established"); condition["status"] != "True" {
				return fmt.Errorf("%s has the condition %v", name, condition)
			}
		}
		return nil
	})
}
