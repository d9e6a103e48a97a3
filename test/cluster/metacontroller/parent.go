package main

import (
	"context"
	"errors"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

// compositeController has the fields of a CompositeController that the stand-in supports.
type compositeController struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ParentResource struct {
			resource            `json:",inline"`
			IgnoreStatusChanges bool `json:"ignoreStatusChanges"`
		} `json:"parentResource"`
		ChildResources []struct {
			resource       `json:",inline"`
			UpdateStrategy struct {
				Method string `json:"method"`
			} `json:"updateStrategy"`
		} `json:"childResources"`
		ResyncPeriodSeconds int64            `json:"resyncPeriodSeconds"`
		GenerateSelector    bool             `json:"generateSelector"`
		EndpointConfigs     []endpointConfig `json:"endpointConfigs"`
		Hooks               struct {
			Sync      *hook `json:"sync"`
			Finalize  *hook `json:"finalize"`
			Customize *hook `json:"customize"`
		} `json:"hooks"`
	} `json:"spec"`
}

type resource struct {
	APIVersion string `json:"apiVersion"`
	Resource   string `json:"resource"`
}

// parentController syncs the parents of one CompositeController.
type parentController struct {
	raw        map[string]any // the CompositeController, as in requests
	cc         compositeController
	kind       schema.GroupVersionKind
	methods    map[schema.GroupVersionKind]string // update method by kind of child
	callers    map[*hook]*caller
	finalizer  string
	client     client.Client
	cache      cache.Cache
	events     record.EventRecorder
	controller controller.Controller
	customized sync.Map // related rules by generation of the parent
	watched    sync.Map // watched kinds of related objects
}

// addTo adds a controller for the CompositeController to the manager.
func (p *parentController) addTo(ctx context.Context, mgr ctrl.Manager) (err error) {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(p.raw, &p.cc); err != nil {
		return err
	}
	spec := p.cc.Spec
	if !spec.GenerateSelector || spec.Hooks.Sync == nil {
		return errors.New("the stand-in needs generateSelector and a sync hook")
	}
	p.callers = map[*hook]*caller{}
	for _, h := range []*hook{spec.Hooks.Sync, spec.Hooks.Finalize, spec.Hooks.Customize} {
		if h == nil {
			continue
		}
		if p.callers[h], err = newCaller(ctx, h, mgr.GetAPIReader(), spec.EndpointConfigs); err != nil {
			return err
		}
	}
	if p.kind, err = p.kindOf(spec.ParentResource.resource); err != nil {
		return err
	}
	p.finalizer, p.methods = "metacontroller.io/compositecontroller-"+p.cc.Name, map[schema.GroupVersionKind]string{}
	// run creates controllers with the same names again.
	options := controller.Options{SkipNameValidation: ptr.To(true), MaxConcurrentReconciles: 5}
	build := ctrl.NewControllerManagedBy(mgr).Named(p.cc.Name).For(ofKind(p.kind), builder.WithPredicates(predicate.Funcs{UpdateFunc: p.syncsAfter})).
		WithOptions(options)
	for _, child := range spec.ChildResources {
		kind, err := p.kindOf(child.resource)
		if err != nil {
			return err
		}
		p.methods[kind] = child.UpdateStrategy.Method
		build.Owns(ofKind(kind)).Watches(ofKind(kind), handler.EnqueueRequestsFromMapFunc(p.adopterOf))
	}
	p.controller, err = build.Build(p)
	return err
}

// syncsAfter reports whether a change of a parent causes a sync.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/controller/composite/controller.go
func (p *parentController) syncsAfter(change event.UpdateEvent) bool {
	before, after := change.ObjectOld, change.ObjectNew
	return !p.cc.Spec.ParentResource.IgnoreStatusChanges || after.GetDeletionTimestamp() != nil || after.GetGeneration() != before.GetGeneration() ||
		!maps.Equal(after.GetLabels(), before.GetLabels()) || !maps.Equal(after.GetAnnotations(), before.GetAnnotations())
}

func (p *parentController) kindOf(r resource) (schema.GroupVersionKind, error) {
	version, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return p.client.RESTMapper().KindFor(version.WithResource(r.Resource))
}

// groups maps kinds, such as "Deployment.apps/v1" or "Pod.v1", to objects by namespace and name.
type groups map[string]map[string]*unstructured.Unstructured

func (g groups) of(kind schema.GroupVersionKind) map[string]*unstructured.Unstructured {
	name := kind.Kind + "." + kind.GroupVersion().String()
	if g[name] == nil {
		g[name] = map[string]*unstructured.Unstructured{}
	}
	return g[name]
}

func (g groups) add(o *unstructured.Unstructured) {
	g.of(o.GroupVersionKind())[metacontroller.Key(true, "", o)] = o
}

// in returns the groups as a hook of the version gets them.
func (g groups) in(namespace, version string) groups {
	sent, v2 := groups{}, version == "v2"
	for kind, objects := range g {
		sent[kind] = map[string]*unstructured.Unstructured{}
		for _, o := range objects {
			if metacontroller.Sent(v2, namespace, o) {
				sent[kind][metacontroller.Key(v2, namespace, o)] = o
			}
		}
	}
	return sent
}

// observedChildren returns the objects of the declared kinds that the parent controls. Kinds without objects are empty groups.
func (p *parentController) observedChildren(ctx context.Context, parent *unstructured.Unstructured) (groups, error) {
	found := groups{}
	for kind := range p.methods {
		found.of(kind)
		objects, mine := ofKindList(kind), client.MatchingLabels{uidLabel: string(parent.GetUID())}
		if err := p.cache.List(ctx, objects, client.InNamespace(parent.GetNamespace()), mine); err != nil {
			return nil, err
		}
		for _, o := range objects.Items {
			if metav1.IsControlledBy(&o, parent) {
				found.add(&o)
			}
		}
	}
	return found, nil
}
