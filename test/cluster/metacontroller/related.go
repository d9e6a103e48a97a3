package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type relatedRule struct {
	resource      `json:",inline"`
	Namespace     string                `json:"namespace"`
	Names         []string              `json:"names"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector"`
}

// generation identifies a generation of a parent. The customize hook is called once per generation.
type generation struct {
	uid    types.UID
	number int64
}

func generationOf(parent *unstructured.Unstructured) generation {
	return generation{parent.GetUID(), parent.GetGeneration()}
}

// relatedObjects returns the objects that match the related rules of the customize hook, and watches their kinds.
func (p *parentController) relatedObjects(ctx context.Context, parent *unstructured.Unstructured) (groups, error) {
	found, customize := groups{}, p.cc.Spec.Hooks.Customize
	if customize == nil {
		return found, nil
	}
	var response struct {
		RelatedResources []relatedRule `json:"relatedResources"`
	}
	if known, ok := p.customized.Load(generationOf(parent)); ok {
		response.RelatedResources = known.([]relatedRule)
	} else if err := customize.call(ctx, p.callers[customize], map[string]any{"controller": p.raw, "parent": parent.Object}, &response); err != nil {
		return nil, err
	}
	// Store the rules before listing the objects. Otherwise an event in between would find no parent.
	p.customized.Store(generationOf(parent), response.RelatedResources)
	for i, rule := range response.RelatedResources {
		if customize.Version != "v2" && rule.Namespace != "" && rule.Namespace != parent.GetNamespace() {
			return nil, fmt.Errorf("related rule %d: v1 selects only objects in the namespace of the parent, not in %s", i, rule.Namespace)
		}
		kind, err := p.kindOf(rule.resource)
		if err != nil {
			return nil, fmt.Errorf("related rule %d: %w", i, err)
		}
		if _, watched := p.watched.LoadOrStore(kind, true); !watched {
			parents := handler.EnqueueRequestsFromMapFunc(p.parentsOf)
			if err := p.controller.Watch(source.Kind(p.cache, client.Object(ofKind(kind)), parents)); err != nil {
				return nil, err
			}
		}
		objects := ofKindList(kind)
		if err := p.cache.List(ctx, objects, client.InNamespace(rule.Namespace)); err != nil {
			return nil, err
		}
		found.of(kind)
		for _, o := range objects.Items {
			if matches, err := p.matches(rule, kind, &o); err != nil {
				return nil, fmt.Errorf("related rule %d: %w", i, err)
			} else if matches {
				found.add(&o)
			}
		}
	}
	return found, nil
}

func (p *parentController) matches(r relatedRule, kind schema.GroupVersionKind, o client.Object) (bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(cmp.Or(r.LabelSelector, &metav1.LabelSelector{}))
	return err == nil && o.GetObjectKind().GroupVersionKind() == kind && (r.Namespace == "" || o.GetNamespace() == r.Namespace) &&
		(len(r.Names) == 0 || slices.Contains(r.Names, o.GetName())) && selector.Matches(labels.Set(o.GetLabels())), err
}

// parentsOf returns the parents whose related rules match the object.
func (p *parentController) parentsOf(ctx context.Context, o client.Object) (requests []reconcile.Request) {
	parents := ofKindList(p.kind)
	if err := p.cache.List(ctx, parents); err != nil {
		return nil // the cache and the controller have stopped
	}
	for _, parent := range parents.Items {
		rules, _ := p.customized.Load(generationOf(&parent))
		known, _ := rules.([]relatedRule)
		if slices.ContainsFunc(known, func(r relatedRule) bool {
			kind, _ := p.kindOf(r.resource)
			matches, _ := p.matches(r, kind, o) // a rule with an error matches nothing
			return matches
		}) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&parent)})
		}
	}
	return requests
}

// adopterOf returns the parent that the label controller-uid of an object names. It adopts the object if it has no owner.
func (p *parentController) adopterOf(ctx context.Context, o client.Object) []reconcile.Request {
	parents := ofKindList(p.kind)
	if o.GetLabels()[uidLabel] == "" || p.cache.List(ctx, parents, client.InNamespace(o.GetNamespace())) != nil {
		return nil
	}
	for _, parent := range parents.Items {
		if string(parent.GetUID()) == o.GetLabels()[uidLabel] {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(&parent)}}
		}
	}
	return nil
}
