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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func main() {
	qps := flag.Float64("client-go-qps", 5, "requests to the API server per second")
	burst := flag.Int("client-go-burst", 10, "maximum burst of requests to the API server")
	workers := flag.Int("workers", 5, "concurrent reconciliations")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(float32(*qps), *burst, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

func run(qps float32, burst, workers int) error {
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
		Complete(&reconciler{Client: manager.GetClient(), scheme: scheme})
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

// Reconcile creates the Deployment, corrects its replicas, and updates the pods' names in the status.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var parent v1alpha1.Memcached
	if err := r.Get(ctx, request.NamespacedName, &parent); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var observed appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &observed); errors.IsNotFound(err) {
		desired := deployment(&parent)
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
	parent.Status.Nodes, parent.Status.ServerList = nodes, []string{} // a required list, which must not be null
	return ctrl.Result{}, r.Status().Update(ctx, &parent)
}

func (r *reconciler) nodes(ctx context.Context, parent *v1alpha1.Memcached) ([]string, error) {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(parent.Namespace), client.MatchingLabels(labels(parent))); err != nil {
		return nil, err
	}
	nodes := []string{}
	for _, pod := range pods.Items {
		nodes = append(nodes, pod.Name)
	}
	slices.Sort(nodes)
	return nodes, nil
}

func labels(parent *v1alpha1.Memcached) map[string]string {
	return map[string]string{"app": "memcached", "memcached_cr": parent.Name}
}

func deployment(parent *v1alpha1.Memcached) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: parent.Name, Namespace: parent.Namespace, Labels: labels(parent)},
		Spec: appsv1.DeploymentSpec{
			Replicas: parent.Spec.Size,
			Selector: &metav1.LabelSelector{MatchLabels: labels(parent)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(parent)},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name:    "memcached",
					Image:   "memcached:1.6.45-alpine",
					Command: []string{"memcached", "-m", "64", "-v"},
					Ports:   []corev1.ContainerPort{{Name: "memcached", ContainerPort: 11211}},
				}}},
			},
		},
	}
}
