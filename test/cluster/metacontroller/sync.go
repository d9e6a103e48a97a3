package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

const uidLabel = "controller-uid"

// Reconcile syncs one parent. An error results in an Event and a retry with exponential backoff.
func (p *parentController) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	parent := ofKind(p.kind)
	if err := p.cache.Get(ctx, request.NamespacedName, parent); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	after, err := p.sync(ctx, parent)
	if busy, ok := errors.AsType[tooManyRequests](err); ok {
		return reconcile.Result{RequeueAfter: max(busy.after, time.Nanosecond)}, nil
	}
	if err != nil {
		// Conflicts are normal with a stale cache, and errors at shutdown are expected. Neither results in an Event.
		if !apierrors.IsConflict(err) && ctx.Err() == nil {
			p.events.Eventf(parent, corev1.EventTypeWarning, "SyncError", "Sync error: %s", err)
		}
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: after}, nil
}

// sync calls the hook and applies the response. It returns the delay until the next sync.
func (p *parentController) sync(ctx context.Context, parent *unstructured.Unstructured) (time.Duration, error) {
	hook, deleted, finalized := p.cc.Spec.Hooks.Sync, parent.GetDeletionTimestamp() != nil, controllerutil.ContainsFinalizer(parent, p.finalizer)
	switch {
	case deleted && !finalized:
		return 0, nil // the garbage collector deletes the children
	case deleted:
		hook = p.cc.Spec.Hooks.Finalize
	case !finalized && p.cc.Spec.Hooks.Finalize != nil:
		controllerutil.AddFinalizer(parent, p.finalizer)
		if err := p.client.Update(ctx, parent); err != nil {
			return 0, err
		}
	}
	observed, err := p.observedChildren(ctx, parent)
	if err != nil {
		return 0, err
	}
	related, err := p.relatedObjects(ctx, parent)
	if err != nil {
		return 0, err
	}
	var response struct {
		Status             map[string]any               `json:"status"`
		Children           []*unstructured.Unstructured `json:"children"`
		ResyncAfterSeconds float64                      `json:"resyncAfterSeconds"`
		Finalized          bool                         `json:"finalized"`
	}
	request := map[string]any{"controller": p.raw, "parent": parent.Object, "children": observed.in(parent.GetNamespace(), hook.Version),
		"related": related.in(parent.GetNamespace(), hook.Version), "finalizing": deleted}
	if err := hook.call(ctx, p.callers[hook], request, &response); err != nil {
		return 0, err
	}
	if deleted && response.Finalized {
		return 0, p.removeFinalizer(ctx, parent)
	}
	err = errors.Join(p.manageChildren(ctx, parent, observed, response.Children), p.updateStatus(ctx, parent, response.Status))
	return p.resyncAfter(response.ResyncAfterSeconds), err
}

// removeFinalizer removes the finalizer. It retries because the garbage collector may remove its own at the same time.
func (p *parentController) removeFinalizer(ctx context.Context, parent *unstructured.Unstructured) error {
	return client.IgnoreNotFound(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := p.client.Get(ctx, client.ObjectKeyFromObject(parent), parent); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(parent, p.finalizer)
		return p.client.Update(ctx, parent)
	}))
}

// resyncAfter returns the shorter of the delay in the response and the CompositeController's resync period.
func (p *parentController) resyncAfter(seconds float64) time.Duration {
	after := time.Duration(seconds * float64(time.Second))
	if period := time.Duration(p.cc.Spec.ResyncPeriodSeconds) * time.Second; period > 0 && (after <= 0 || period < after) {
		return period
	}
	return after
}

// manageChildren deletes observed children that are not desired, then applies the desired children.
func (p *parentController) manageChildren(ctx context.Context, parent *unstructured.Unstructured, observed groups, children []*unstructured.Unstructured) error {
	if controllerutil.ContainsFinalizer(parent, metav1.FinalizerDeleteDependents) || controllerutil.ContainsFinalizer(parent, metav1.FinalizerOrphanDependents) {
		return nil // the garbage collector deletes or orphans the children
	}
	desired := groups{}
	for _, child := range children {
		if child == nil {
			return errors.New("a child is null")
		}
		if child.GetNamespace() == "" {
			child.SetNamespace(parent.GetNamespace())
		}
		desired.add(child)
	}
	var errs []error
	for kind, objects := range observed {
		for key, o := range objects {
			if desired[kind][key] == nil && o.GetDeletionTimestamp() == nil {
				errs = append(errs, p.remove(ctx, o))
			}
		}
	}
	for kind, objects := range desired {
		for key, child := range objects {
			if err := p.apply(ctx, parent, observed[kind][key], child); err != nil {
				errs = append(errs, fmt.Errorf("apply %s %s: %w", child.GetKind(), child.GetName(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// apply creates or updates a child as Metacontroller does with its default --apply-strategy.
func (p *parentController) apply(ctx context.Context, parent, observed, child *unstructured.Unstructured) error {
	labels := child.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[uidLabel] = string(parent.GetUID())
	child.SetLabels(labels)
	if observed == nil {
		return p.create(ctx, parent, child)
	}
	updated := metacontroller.Updated(observed, child)
	if reflect.DeepEqual(updated.Object, observed.Object) || observed.GetDeletionTimestamp() != nil {
		return nil
	}
	switch p.methods[child.GroupVersionKind()] {
	case "InPlace":
		if err := p.client.Update(ctx, updated); !apierrors.IsConflict(err) { // the current object causes another sync
			return client.IgnoreNotFound(err)
		}
	case "Recreate":
		return p.remove(ctx, observed) // the next sync creates it
	}
	return nil
}

func (p *parentController) remove(ctx context.Context, child *unstructured.Unstructured) error {
	err := p.client.Delete(ctx, child, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: ptr.To(child.GetUID())})
	return client.IgnoreNotFound(err)
}

// create creates a child that the parent does not observe. If its name is taken, create does as Metacontroller: it adopts an orphan
// with the parent's label, releases an object of the parent without the label, and leaves any other object alone.
func (p *parentController) create(ctx context.Context, parent, child *unstructured.Unstructured) error {
	created, owner := metacontroller.Created(child), *metav1.NewControllerRef(parent, p.kind)
	created.SetOwnerReferences([]metav1.OwnerReference{owner})
	if err := p.client.Create(ctx, created); !apierrors.IsAlreadyExists(err) {
		return err
	}
	existing := ofKind(child.GroupVersionKind())
	if err := p.client.Get(ctx, client.ObjectKeyFromObject(child), existing); err != nil {
		return client.IgnoreNotFound(err)
	}
	labelled, owned := existing.GetLabels()[uidLabel] == string(owner.UID), metav1.IsControlledBy(existing, parent)
	switch {
	case labelled && metav1.GetControllerOf(existing) == nil:
		// The garbage collector may have orphaned it since the parent was observed. It would delete a child that is adopted then.
		current := ofKind(p.kind)
		if err := p.client.Get(ctx, client.ObjectKeyFromObject(parent), current); err != nil || current.GetUID() != parent.GetUID() || current.GetDeletionTimestamp() != nil {
			return client.IgnoreNotFound(err)
		}
		existing.SetOwnerReferences(append(existing.GetOwnerReferences(), owner))
	case owned && !labelled:
		existing.SetOwnerReferences(nil)
	default:
		return nil
	}
	return p.client.Update(ctx, existing)
}

// updateStatus replaces the whole status if it differs.
func (p *parentController) updateStatus(ctx context.Context, parent *unstructured.Unstructured, status map[string]any) error {
	if status == nil {
		status = map[string]any{}
	}
	status["observedGeneration"] = parent.GetGeneration()
	if equality.Semantic.DeepEqual(parent.Object["status"], any(status)) {
		return nil
	}
	parent.Object["status"] = status
	return client.IgnoreNotFound(p.client.Status().Update(ctx, parent))
}
