package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// parentController syncs the parents of one CompositeController.
type parentController struct {
	raw        map[string]any // the CompositeController, as hooks are sent it
	cc         compositeController
	kind       schema.GroupVersionKind
	children   map[schema.GroupVersionKind]string // the update method
	finalizer  string
	client     client.Client
	cache      cache.Cache
	events     record.EventRecorder
	controller controller.Controller

	customized sync.Map // by the parent's UID
	watched    sync.Map // kinds of related objects
	applied    sync.Map // what was applied last, by child
}

// skipNameValidation lets a controller of the same name start anew.
var skipNameValidation = controller.Options{SkipNameValidation: ptr.To(true)}

// add checks the CompositeController and adds what it asks for to the manager.
func (p *parentController) add(mgr ctrl.Manager) (err error) {
	if !p.cc.Spec.GenerateSelector || p.cc.Spec.Hooks.Sync == nil {
		return errors.New("the stand-in needs generateSelector and a sync hook")
	}
	p.children, p.finalizer = map[schema.GroupVersionKind]string{}, "metacontroller.io/compositecontroller-"+p.cc.Name
	if p.kind, err = p.kindOf(p.cc.Spec.ParentResource.APIVersion, p.cc.Spec.ParentResource.Resource); err != nil {
		return err
	}
	options := skipNameValidation
	options.Reconciler, options.MaxConcurrentReconciles = p, 5
	if p.controller, err = controller.New(p.cc.Name, mgr, options); err != nil {
		return err
	}
	anyChange := predicate.Predicate(predicate.Funcs{})
	if p.cc.Spec.ParentResource.IgnoreStatusChanges {
		anyChange = predicate.Or(predicate.Predicate(predicate.GenerationChangedPredicate{}),
			predicate.Predicate(predicate.LabelChangedPredicate{}), predicate.Predicate(predicate.AnnotationChangedPredicate{}))
	}
	parents := source.Kind(p.cache, client.Object(ofKind(p.kind)), handler.EventHandler(&handler.EnqueueRequestForObject{}), anyChange)
	if err := p.controller.Watch(parents); err != nil {
		return err
	}
	owner := handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), ofKind(p.kind), handler.OnlyControllerOwner())
	for _, child := range p.cc.Spec.ChildResources {
		kind, err := p.kindOf(child.APIVersion, child.Resource)
		if err != nil {
			return err
		}
		switch p.children[kind] = child.UpdateStrategy.Method; p.children[kind] {
		case "", "OnDelete", "InPlace":
		default:
			return fmt.Errorf("the stand-in has no update method %s", p.children[kind])
		}
		if err := p.controller.Watch(source.Kind(p.cache, client.Object(ofKind(kind)), owner)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parentController) kindOf(apiVersion, resource string) (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return p.client.RESTMapper().KindFor(version.WithResource(resource))
}

// groups are objects by kind, as in "Deployment.apps/v1" or "Pod.v1", and by name.
type groups map[string]map[string]*unstructured.Unstructured

func (g groups) of(kind schema.GroupVersionKind) map[string]*unstructured.Unstructured {
	name := kind.Kind + "." + kind.GroupVersion().String()
	if g[name] == nil {
		g[name] = map[string]*unstructured.Unstructured{}
	}
	return g[name]
}

// key names an object within its group.
func (p *parentController) key(o *unstructured.Unstructured) string {
	if p.cc.Spec.Hooks.Sync.Version == "v2" && o.GetNamespace() != "" {
		return o.GetNamespace() + "/" + o.GetName()
	}
	return o.GetName()
}

// observedChildren are the objects of the declared kinds that the parent controls. A kind without any is there, empty.
func (p *parentController) observedChildren(ctx context.Context, parent *unstructured.Unstructured) (groups, error) {
	found := groups{}
	for kind := range p.children {
		found.of(kind)
		objects := ofKindList(kind)
		mine := client.MatchingLabels{uidLabel: string(parent.GetUID())}
		if err := p.cache.List(ctx, objects, client.InNamespace(parent.GetNamespace()), mine); err != nil {
			return nil, err
		}
		for _, o := range objects.Items {
			if metav1.IsControlledBy(&o, parent) {
				found.of(kind)[p.key(&o)] = &o
			}
		}
	}
	return found, nil
}
