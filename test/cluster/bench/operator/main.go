// Operator is a minimal operator with controller-runtime, for comparison with Metacontroller and a hook. It creates a
// Deployment for each Memcached and writes the names of the pods to the status.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/example/memcached-operator/test/internal/deployment"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func main() {
	qps := flag.Float64("client-go-qps", 5, "requests to the API server per second")
	burst := flag.Int("client-go-burst", 10, "maximum burst of requests to the API server")
	workers := flag.Int("workers", 5, "concurrent reconciliations")
	file := flag.String("deployment", "", "`file` with the Deployment of a parent")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(float32(*qps), *burst, *workers, *file); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

func run(qps float32, burst, workers int, file string) error {
	template, err := deployment.Read(file)
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = qps, burst
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&v1alpha1.Memcached{}).
		Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{Client: manager.GetClient(), scheme: scheme, template: template})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct {
	client.Client
	scheme   *runtime.Scheme
	template *deployment.Template
}

// Reconcile creates the Deployment, corrects its replicas, and updates the pods' names in the status.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var parent v1alpha1.Memcached
	if err := r.Get(ctx, request.NamespacedName, &parent); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var observed appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &observed); errors.IsNotFound(err) {
		desired := r.template.Of(parent.Namespace, parent.Name, parent.Spec.Size)
		if err := ctrl.SetControllerReference(&parent, desired, r.scheme); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.Create(ctx, desired) // its event triggers the next reconciliation
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if *observed.Spec.Replicas != *parent.Spec.Size {
		observed.Spec.Replicas = parent.Spec.Size
		return ctrl.Result{}, r.Update(ctx, &observed)
	}
	nodes, err := r.nodes(ctx, &parent)
	if err != nil || slices.Equal(nodes, parent.Status.Nodes) {
		return ctrl.Result{}, err
	}
	parent.Status.Nodes, parent.Status.Servers = nodes, []string{} // a required list, which must not be null
	return ctrl.Result{}, r.Status().Update(ctx, &parent)
}

func (r *reconciler) nodes(ctx context.Context, parent *v1alpha1.Memcached) ([]string, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(parent.Namespace), client.MatchingLabels{"app": "memcached", "memcached_cr": parent.Name}); err != nil {
		return nil, err
	}
	nodes := []string{}
	for _, pod := range pods.Items {
		nodes = append(nodes, pod.Name)
	}
	slices.Sort(nodes)
	return nodes, nil
}
