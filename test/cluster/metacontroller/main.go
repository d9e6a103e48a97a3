// Metacontroller stands in for Metacontroller (https://metacontroller.github.io/metacontroller/) where that is not at
// hand, in the demo and in the cluster tests. It speaks the same protocol of CompositeControllers, hook versions v1 and
// v2, and applies children as Metacontroller does with --apply-strategy=server-side-apply.
//
// What it does not do:
//   - DecoratorControllers, ControllerRevisions, and the update methods Recreate and Rolling*, which it refuses.
//   - Parents without generateSelector, which it refuses: it neither reads spec.selector nor adopts orphans that a
//     selector matches. A child is what has the parent as its controller and bears its label controller-uid.
//   - parentResource.labelSelector, namespaceSelector in a related rule, and webhooks in the service form.
//   - TLS, authentication, ETag; it reads every response as Metacontroller does in the strict mode.
//   - The sync of a parent that is being deleted and has no finalize hook; Metacontroller still updates its status.
//   - Forgetting what customize answered after 20 minutes; here it is remembered for each generation of the parent.
//   - Restarting only the CompositeController that has changed: here all of them start anew.
//   - Leader election, metrics and health probes: it takes the flags that the cluster starts Metacontroller with, and
//     only --kubeconfig does something.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	for _, unused := range []string{"client-go-qps", "client-go-burst", "discovery-interval", "metrics-address", "health-probe-bind-address"} {
		flag.String(unused, "", "has no effect")
	}
	flag.Parse()
	ctrl.SetLogger(zap.New())
	ctx := ctrl.SetupSignalHandler()
	config := ctrl.GetConfigOrDie()
	config.QPS = -1 // loopback needs no limit
	events := record.NewBroadcaster(record.WithContext(ctx))
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubernetes.NewForConfigOrDie(config).CoreV1().Events("")})
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "metacontroller"})
	for ctx.Err() == nil {
		if err := run(ctx, config, recorder); err != nil {
			fmt.Fprintln(os.Stderr, "metacontroller: start again in a second:", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

// run runs all CompositeControllers until one of them comes, goes or has another spec.
func run(ctx context.Context, config *rest.Config, events record.EventRecorder) error {
	ctx, changed := context.WithCancel(ctx)
	defer changed()
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metrics.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	kind := schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeController"}
	all := ofKindList(kind)
	if err := mgr.GetAPIReader().List(ctx, all); err != nil {
		return err
	}
	started := specs(all)
	var failed error
	for i := range all.Items {
		if err := start(mgr, &all.Items[i], events); err != nil {
			events.Eventf(&all.Items[i], corev1.EventTypeWarning, "CreateError", "Cannot create new controller: %s", err)
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		return failed
	}
	err = ctrl.NewControllerManagedBy(mgr).For(ofKind(kind)).Named("metacontroller").WithOptions(skipNameValidation).Complete(
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			now := ofKindList(kind)
			if err := mgr.GetCache().List(ctx, now); err != nil {
				return reconcile.Result{}, err
			}
			if !reflect.DeepEqual(started, specs(now)) {
				changed()
			}
			return reconcile.Result{}, nil
		}))
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func start(mgr ctrl.Manager, o *unstructured.Unstructured, events record.EventRecorder) error {
	p := &parentController{raw: o.Object, client: mgr.GetClient(), cache: mgr.GetCache(), events: events}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &p.cc); err != nil {
		return fmt.Errorf("read CompositeController %s: %w", o.GetName(), err)
	}
	if err := p.add(mgr); err != nil {
		return fmt.Errorf("CompositeController %s: %w", o.GetName(), err)
	}
	return nil
}

// specs are the specs by the name of the CompositeController.
func specs(list *unstructured.UnstructuredList) map[string]any {
	m := map[string]any{}
	for _, o := range list.Items {
		m[o.GetName()] = o.Object["spec"]
	}
	return m
}

func ofKind(kind schema.GroupVersionKind) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	return o
}

func ofKindList(kind schema.GroupVersionKind) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	return list
}
