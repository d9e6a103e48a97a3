// Metacontroller is a stand-in for Metacontroller (https://metacontroller.github.io/metacontroller/) in the demo and the
// cluster tests. It implements CompositeControllers with namespaced parents and hook versions v1 and v2, and applies children
// like Metacontroller with --apply-strategy=dynamic-apply, the default.
//
// Differences from Metacontroller:
//   - It rejects CompositeControllers without generateSelector. It does not read spec.selector. A child has the parent as its
//     controller and the parent's label controller-uid.
//   - It does not support the update methods Rolling*: it does not update such children.
//   - It does not support DecoratorControllers, parentResource.labelSelector, namespaceSelector in a related rule, webhooks
//     with a service, ETag, or responseUnMarshallMode: it decodes every response in strict mode. It supports only
//     credentials of endpointConfigs in Secrets.
//   - It does not sync a parent that is being deleted without a finalize hook, and does not write the status of a response
//     with finalized. Metacontroller does both.
//   - It caches the response of customize for each generation of the parent. Metacontroller's cache expires after 20 minutes.
//   - After a change of one CompositeController it restarts all of them.
//   - It has no leader election, metrics, health probes or flags. KUBECONFIG names the cluster.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(zap.New())
	ctx := ctrl.SetupSignalHandler()
	config := ctrl.GetConfigOrDie()
	config.QPS = -1 // no client-side rate limit
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubernetes.NewForConfigOrDie(config).CoreV1().Events("")})
	events := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "metacontroller"})
	for ctx.Err() == nil {
		if err := run(ctx, config, events); err != nil {
			ctrl.Log.Error(err, "restarting in a second")
			time.Sleep(time.Second)
		}
	}
}

// run runs all CompositeControllers until one of them is created, changed or deleted.
func run(ctx context.Context, config *rest.Config, events record.EventRecorder) error {
	ctx, changed := context.WithCancel(ctx)
	defer changed()
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metrics.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	reader, err := client.NewWithWatch(config, client.Options{})
	if err != nil {
		return err
	}
	all := ofKindList(schema.GroupVersionKind{Group: "metacontroller.k8s.io", Version: "v1alpha1", Kind: "CompositeController"})
	if err := reader.List(ctx, all); err != nil {
		return err
	}
	changes, err := reader.Watch(ctx, all.DeepCopy(), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: all.GetResourceVersion()}})
	if err != nil {
		return err
	}
	go func() {
		<-changes.ResultChan()
		changed()
	}()
	for _, o := range all.Items {
		p := &parentController{raw: o.Object, client: mgr.GetClient(), cache: mgr.GetCache(), events: events}
		if err := p.addTo(ctx, mgr); err != nil {
			return fmt.Errorf("start CompositeController %s: %w", o.GetName(), err)
		}
	}
	return mgr.Start(ctx)
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
