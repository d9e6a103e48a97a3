package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type relatedRule struct {
	APIVersion    string                `json:"apiVersion"`
	Resource      string                `json:"resource"`
	Namespace     string                `json:"namespace"`
	Names         []string              `json:"names"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector"`

	kind     schema.GroupVersionKind
	selector labels.Selector
}

// customized is what the customize hook answered for one generation of a parent.
type customized struct {
	generation int64
	rules      []relatedRule
}

func (p *parentController) relatedRules(ctx context.Context, parent *unstructured.Unstructured) ([]relatedRule, error) {
	customize := p.cc.Spec.Hooks.Customize
	if customize == nil {
		return nil, nil
	}
	if known, ok := p.customized.Load(parent.GetUID()); ok && known.(customized).generation == parent.GetGeneration() {
		return known.(customized).rules, nil
	}
	var answer struct {
		RelatedResources []relatedRule `json:"relatedResources"`
	}
	if err := customize.call(ctx, map[string]any{"controller": p.raw, "parent": parent.Object}, &answer); err != nil {
		return nil, err
	}
	for i := range answer.RelatedResources {
		if err := p.resolve(&answer.RelatedResources[i], parent.GetNamespace()); err != nil {
			return nil, fmt.Errorf("related rule %d: %w", i, err)
		}
	}
	p.customized.Store(parent.GetUID(), customized{parent.GetGeneration(), answer.RelatedResources})
	return answer.RelatedResources, nil
}

// resolve finds the kind that a rule is about, narrows the rule to where its hook version lets it reach, and sees to it
// that the kind is watched.
func (p *parentController) resolve(rule *relatedRule, parentNamespace string) (err error) {
	if len(rule.Names) > 0 && rule.LabelSelector != nil {
		return errors.New("has both names and a labelSelector")
	}
	if rule.kind, err = p.kindOf(rule.APIVersion, rule.Resource); err != nil {
		return err
	}
	if p.cc.Spec.Hooks.Customize.Version != "v2" && parentNamespace != "" {
		if rule.Namespace != "" && rule.Namespace != parentNamespace {
			return fmt.Errorf("namespace %s is not the parent's, %s", rule.Namespace, parentNamespace)
		}
		rule.Namespace = parentNamespace
	}
	rule.selector = labels.Everything()
	if rule.LabelSelector != nil {
		if rule.selector, err = metav1.LabelSelectorAsSelector(rule.LabelSelector); err != nil {
			return err
		}
	}
	if _, watched := p.watched.LoadOrStore(rule.kind, true); watched {
		return nil
	}
	return p.controller.Watch(source.Kind(p.cache, client.Object(ofKind(rule.kind)), handler.EnqueueRequestsFromMapFunc(p.parentsOf)))
}

func (r relatedRule) matches(o client.Object) bool {
	return o.GetObjectKind().GroupVersionKind() == r.kind &&
		(r.Namespace == "" || o.GetNamespace() == "" || o.GetNamespace() == r.Namespace) &&
		(len(r.Names) == 0 || slices.Contains(r.Names, o.GetName())) &&
		r.selector.Matches(labels.Set(o.GetLabels()))
}

// parentsOf returns the parents that a rule of theirs relates to the object.
func (p *parentController) parentsOf(ctx context.Context, o client.Object) (requests []reconcile.Request) {
	parents := ofKindList(p.kind)
	if err := p.cache.List(ctx, parents); err != nil {
		return nil // the cache has stopped, and the controller with it
	}
	for _, parent := range parents.Items {
		known, _ := p.customized.Load(parent.GetUID())
		if c, ok := known.(customized); ok && slices.ContainsFunc(c.rules, func(r relatedRule) bool { return r.matches(o) }) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&parent)})
		}
	}
	return requests
}

// relatedObjects are the objects that the parent's rules relate to it.
func (p *parentController) relatedObjects(ctx context.Context, parent *unstructured.Unstructured) (groups, error) {
	rules, err := p.relatedRules(ctx, parent)
	if err != nil {
		return nil, err
	}
	found := groups{}
	for _, rule := range rules {
		found.of(rule.kind)
		objects := ofKindList(rule.kind)
		if err := p.cache.List(ctx, objects, client.InNamespace(rule.Namespace)); err != nil {
			return nil, err
		}
		for _, o := range objects.Items {
			// The version of the sync hook decides the shape, and v1 has no key for an object of another namespace.
			if rule.matches(&o) && (p.cc.Spec.Hooks.Sync.Version == "v2" || o.GetNamespace() == parent.GetNamespace()) {
				found.of(rule.kind)[p.key(&o)] = &o
			}
		}
	}
	return found, nil
}
