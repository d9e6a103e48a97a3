package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

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
		RelatedResources []metacontroller.Rule `json:"relatedResources"`
	}
	if known, ok := p.customized.Load(generationOf(parent)); ok {
		response.RelatedResources = known.([]metacontroller.Rule)
	} else if err := customize.call(ctx, p.callers[customize], map[string]any{"controller": p.raw, "parent": parent.Object}, &response); err != nil {
		return nil, err
	}
	// Store the rules before listing the objects. Otherwise an event in between would find no parent.
	p.customized.Store(generationOf(parent), response.RelatedResources)
	for i, rule := range response.RelatedResources {
		kind, scope, err := p.scopeOf(rule, parent)
		if err == nil {
			err = rule.Check(scope)
		}
		if err != nil {
			return nil, fmt.Errorf("related rule %d: %w", i, err)
		}
		if _, watched := p.watched.LoadOrStore(kind, true); !watched {
			parents := handler.EnqueueRequestsFromMapFunc(p.parentsOf)
			if err := p.controller.Watch(source.Kind(p.cache, client.Object(ofKind(kind)), parents)); err != nil {
				return nil, err
			}
		}
		selected, err := p.selected(ctx, rule, kind, scope)
		if err != nil {
			return nil, err
		}
		found.of(kind)
		for _, o := range selected {
			found.add(&o)
		}
	}
	return found, nil
}

// selected returns the objects of a kind that a rule selects.
func (p *parentController) selected(ctx context.Context, rule metacontroller.Rule, kind schema.GroupVersionKind, scope metacontroller.Scope) ([]unstructured.Unstructured, error) {
	objects, in := ofKindList(kind), client.InNamespace(rule.Namespace)
	if scope.Cluster {
		in = ""
	}
	if err := p.cache.List(ctx, objects, in); err != nil {
		return nil, err
	}
	namespaces, err := p.namespaces(ctx, rule)
	return slices.DeleteFunc(objects.Items, func(o unstructured.Unstructured) bool { return !rule.Selects(scope, &o, namespaces) }), err
}

// scopeOf returns the kind that a rule selects, and what decides which objects of it are related to the parent.
func (p *parentController) scopeOf(rule metacontroller.Rule, parent client.Object) (kind schema.GroupVersionKind, scope metacontroller.Scope, err error) {
	if kind, err = p.kindOf(resource{APIVersion: rule.APIVersion, Resource: rule.Resource}); err != nil {
		return kind, scope, err
	}
	namespaced, err := p.client.IsObjectNamespaced(ofKind(kind))
	return kind, metacontroller.Scope{V2: p.cc.Spec.Hooks.Customize.Version == "v2", Namespace: parent.GetNamespace(), Cluster: !namespaced}, err
}

// namespaces returns the labels of all namespaces if a rule selects by them.
func (p *parentController) namespaces(ctx context.Context, rule metacontroller.Rule) (map[string]labels.Set, error) {
	if rule.NamespaceSelector == nil {
		return nil, nil
	}
	all, sets := ofKindList(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}), map[string]labels.Set{}
	err := p.cache.List(ctx, all)
	for _, each := range all.Items {
		sets[each.GetName()] = each.GetLabels()
	}
	return sets, err
}

// parentsOf returns the parents whose related rules match the object.
func (p *parentController) parentsOf(ctx context.Context, o client.Object) (requests []reconcile.Request) {
	parents := ofKindList(p.kind)
	if err := p.cache.List(ctx, parents); err != nil {
		return nil // the cache and the controller have stopped
	}
	for _, parent := range parents.Items {
		rules, _ := p.customized.Load(generationOf(&parent))
		known, _ := rules.([]metacontroller.Rule)
		if slices.ContainsFunc(known, func(r metacontroller.Rule) bool {
			kind, scope, errOfKind := p.scopeOf(r, &parent)
			namespaces, err := p.namespaces(ctx, r)
			return errors.Join(errOfKind, err) == nil && o.GetObjectKind().GroupVersionKind() == kind && r.Selects(scope, o, namespaces)
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
