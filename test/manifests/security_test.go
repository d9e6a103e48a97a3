package manifests

import (
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// TestHookIsRestricted checks that the hook meets the restricted Pod Security Standard, which its namespace enforces.
func TestHookIsRestricted(t *testing.T) {
	template := hookDeployment(t).Spec.Template
	expectRestricted(t, template.ObjectMeta, template.Spec)
	for _, namespace := range find[corev1.Namespace](t, build(t, "manifests/base"), "Namespace") {
		if namespace.Labels[api.EnforceLevelLabel] != string(api.LevelRestricted) {
			t.Errorf("namespace %s does not enforce the restricted standard", namespace.Name)
		}
	}
}

// TestMetacontrollerIsRestricted checks that Metacontroller meets the restricted standard with metacontroller-values.yaml.
func TestMetacontrollerIsRestricted(t *testing.T) {
	var values struct {
		PodSecurityContext *corev1.PodSecurityContext  `json:"podSecurityContext"`
		SecurityContext    *corev1.SecurityContext     `json:"securityContext"`
		Resources          corev1.ResourceRequirements `json:"resources"`
	}
	convert(t, readObject(t, filepath.Join(root, "manifests/metacontroller-values.yaml")), &values)
	container := corev1.Container{Name: "metacontroller", SecurityContext: values.SecurityContext, Resources: values.Resources}
	expectRestricted(t, metav1.ObjectMeta{}, corev1.PodSpec{
		SecurityContext: values.PodSecurityContext,
		Containers:      []corev1.Container{container},
	})
	expectBounded(t, container)
}

// expectRestricted checks a pod with the code of the API server's admission plugin.
func expectRestricted(t *testing.T, metadata metav1.ObjectMeta, spec corev1.PodSpec) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(restricted, &metadata, &spec) {
		if !result.Allowed {
			t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}

// expectBounded checks that a container has a read-only root file system, requests and limits.
func expectBounded(t *testing.T, container corev1.Container) {
	t.Helper()
	if c := container.SecurityContext; c == nil || c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem {
		t.Error("the root file system is not read-only")
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := container.Resources.Requests[resource], container.Resources.Limits[resource]
		if request.IsZero() || limit.Cmp(request) < 0 {
			t.Errorf("%s: request %s, limit %s", resource, request.String(), limit.String())
		}
	}
}

// TestHookHasNoAccess checks that the hook has no token, no RBAC permission and no service links.
func TestHookHasNoAccess(t *testing.T) {
	spec := hookDeployment(t).Spec.Template.Spec
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		t.Error("the pod mounts a service account token")
	}
	if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
		t.Error("enableServiceLinks is not false: the pod has environment variables for every Service in its namespace")
	}
	objects := build(t, "manifests/base")
	accounts := find[corev1.ServiceAccount](t, objects, "ServiceAccount")
	if len(accounts) != 1 || accounts[0].Name != spec.ServiceAccountName {
		t.Fatalf("the pod's service account %q is not the one in base", spec.ServiceAccountName)
	}
	if token := accounts[0].AutomountServiceAccountToken; token == nil || *token {
		t.Error("the service account mounts its token")
	}
	for _, object := range objects {
		if object.GroupVersionKind().Group == "rbac.authorization.k8s.io" {
			t.Errorf("%s %s: the hook needs no permission", object.GetKind(), object.GetName())
		}
	}
}

// TestHookContainer checks what the standard does not: a read-only file system, probes, resources and a fixed image tag.
func TestHookContainer(t *testing.T) {
	containers := hookDeployment(t).Spec.Template.Spec.Containers
	if len(containers) != 1 {
		t.Fatalf("%d containers, want 1", len(containers))
	}
	container := containers[0]
	expectBounded(t, container)
	if _, tag, ok := strings.Cut(container.Image, ":"); !ok || tag == "latest" {
		t.Errorf("image %s has no fixed tag", container.Image)
	}
	for name, probe := range map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name || probe.HTTPGet.Port.StrVal != "ops" {
			t.Errorf("the probe of %s on the ops port is missing", name)
		}
	}
}

func hookDeployment(t *testing.T) appsv1.Deployment {
	t.Helper()
	deployments := find[appsv1.Deployment](t, build(t, "manifests/base"), "Deployment")
	if len(deployments) != 1 {
		t.Fatalf("base has %d Deployments, want 1", len(deployments))
	}
	return deployments[0]
}
