// Metacontroller stands in for Metacontroller (https://metacontroller.github.io/metacontroller/) where that is not at
// hand, in the demo and in the cluster tests. It speaks the same protocol of CompositeControllers, hook version v2, and
// applies children as Metacontroller does with --apply-strategy=server-side-apply.
//
// What it does not do:
//   - Hook version v1, and parents without generateSelector, which it refuses: it neither reads spec.selector nor adopts
//     orphans that a selector matches. A child is what has the parent as its controller and bears its label controller-uid.
//   - The update methods Recreate and Rolling*: it never updates a child whose method is not InPlace.
//   - ignoreStatusChanges: it also syncs after a status update of its own.
//   - DecoratorControllers, parentResource.labelSelector, namespaceSelector in a related rule, webhooks in the service
//     form, ETag, responseUnMarshallMode: every response is read in the strict mode. Credentials but those of
//     endpointConfigs in Secrets.
//   - The sync of a parent that is being deleted and has no finalize hook, and the status that comes with finalized;
//     Metacontroller still writes those.
//   - Forgetting what customize answered after 20 minutes; here it is remembered for each generation of the parent.
//   - Restarting only the CompositeController that has changed: here all of them start anew.
//   - Leader election, metrics, health probes and flags. KUBECONFIG names the cluster.
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
	config.QPS = -1 // loopback needs no limit
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubernetes.NewForConfigOrDie(config).CoreV1().Events("")})
	events := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "metacontroller"})
	for ctx.Err() == nil {
		if err := run(ctx, config, events); err != nil {
			ctrl.Log.Error(err, "start again in a second")
			time.Sleep(time.Second)
		}
	}
}

// run runs all CompositeControllers until one of them comes, goes or changes.
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
