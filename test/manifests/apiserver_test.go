package manifests

import (
	"encoding/json"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
)

// strategies has the API server's create strategy for each kind of child, and for pods.
var strategies = map[string]rest.RESTCreateStrategy{
	"Deployment":          deployment.Strategy,
	"StatefulSet":         statefulset.Strategy,
	"Job":                 job.Strategy,
	"Pod":                 pod.Strategy,
	"Service":             service.Strategy,
	"PodDisruptionBudget": poddisruptionbudget.Strategy,
	"NetworkPolicy":       networkpolicy.Strategy,
	"Ingress":             ingress.Strategy,
}

// created returns the error of the API server when Metacontroller creates a child, or when the child's controller creates a
// pod. It returns nil if the API server accepts both.
func created(t *testing.T, child map[string]any) error {
	t.Helper()
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true}) // the default of kubeadm and of managed clusters
	raw, err := json.Marshal(child)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(child)}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["metacontroller.k8s.io/last-applied-configuration"] = string(raw)
	object.SetAnnotations(annotations)
	if raw, err = object.MarshalJSON(); err != nil {
		t.Fatal(err)
	}
	if err := create(t, raw); err != nil {
		return fmt.Errorf("%s: %w", object.GetKind(), err)
	}
	switch object.GetKind() {
	case "Deployment", "StatefulSet", "Job":
	default:
		return nil
	}
	if err := create(t, podOf(t, raw)); err != nil {
		return fmt.Errorf("pod: %w", err)
	}
	return nil
}

// create decodes, defaults and validates an object as the API server does.
func create(t *testing.T, raw []byte) error {
	t.Helper()
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return err
	}
	legacyscheme.Scheme.Default(object)
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	strategy, ok := strategies[kind.Kind]
	if !ok {
		t.Fatalf("no create strategy for %s", kind)
	}
	meta := internal.(metav1.Object)
	meta.SetCreationTimestamp(metav1.Now())
	meta.SetUID(uuid.NewUUID())
	if created, ok := internal.(*core.Service); ok {
		allocate(created)
	}
	ctx := apirequest.WithRequestInfo(t.Context(), &apirequest.RequestInfo{APIGroup: kind.Group, APIVersion: kind.Version})
	return rest.BeforeCreate(strategy, apirequest.WithNamespace(ctx, meta.GetNamespace()), internal)
}

// allocate sets the cluster IP, IP families and the port for health checks of a Service, as the API server does before validation.
func allocate(created *core.Service) {
	if created.Spec.ClusterIP != core.ClusterIPNone {
		created.Spec.ClusterIP = "10.0.0.10"
	}
	if created.Spec.Type == core.ServiceTypeLoadBalancer && created.Spec.ExternalTrafficPolicy == core.ServiceExternalTrafficPolicyLocal {
		created.Spec.HealthCheckNodePort = 30000
	}
	created.Spec.ClusterIPs = []string{created.Spec.ClusterIP}
	created.Spec.IPFamilies = []core.IPFamily{core.IPv4Protocol}
	if policy := created.Spec.IPFamilyPolicy; policy == nil {
		created.Spec.IPFamilyPolicy = new(core.IPFamilyPolicySingleStack)
	} else if *policy != core.IPFamilyPolicySingleStack {
		created.Spec.IPFamilies = append(created.Spec.IPFamilies, core.IPv6Protocol)
	}
}

// podOf returns the pod that a controller creates from the template of a workload.
func podOf(t *testing.T, workload []byte) []byte {
	t.Helper()
	var made appsv1.Deployment // a StatefulSet and a Job have the template in the same field
	if err := json.Unmarshal(workload, &made); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(&corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        made.Name + "-0",
			Namespace:   made.Namespace,
			Labels:      made.Spec.Template.Labels,
			Annotations: made.Spec.Template.Annotations,
		},
		Spec: made.Spec.Template.Spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
