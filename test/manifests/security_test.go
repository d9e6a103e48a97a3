package manifests

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// TestHookIsRestricted holds that the Pod Security Standard "restricted" admits the hook, by the code of the API server's
// own admission plugin, and that its namespace enforces that standard.
func TestHookIsRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	objects := build(t, "manifests/base")
	template := hookDeployment(t).Spec.Template
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
		if !result.Allowed {
			t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
	for _, namespace := range find[corev1.Namespace](t, objects, "Namespace") {
		if namespace.Labels[api.EnforceLevelLabel] != string(api.LevelRestricted) {
			t.Errorf("namespace %s does not enforce the restricted standard", namespace.Name)
		}
	}
}

// TestHookHasNoAccess holds that the hook has nothing to reach the API server or its neighbours with.
func TestHookHasNoAccess(t *testing.T) {
	spec := hookDeployment(t).Spec.Template.Spec
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		t.Error("the pod mounts a service account token")
	}
	if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
		t.Error("the pod is told of every Service in its namespace")
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

// TestHookContainer holds the promises that no standard makes: it cannot write, is probed, and bounded.
func TestHookContainer(t *testing.T) {
	containers := hookDeployment(t).Spec.Template.Spec.Containers
	if len(containers) != 1 {
		t.Fatalf("%d containers, want 1", len(containers))
	}
	container := containers[0]
	if readOnly := container.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
		t.Error("the root file system can be written to")
	}
	if _, tag, ok := strings.Cut(container.Image, ":"); !ok || tag == "latest" {
		t.Errorf("image %s has no fixed tag", container.Image)
	}
	for name, probe := range map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name || probe.HTTPGet.Port.StrVal != "ops" {
			t.Errorf("no probe asks %s on the ops port", name)
		}
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := container.Resources.Requests[resource], container.Resources.Limits[resource]
		if request.IsZero() || limit.Cmp(request) < 0 {
			t.Errorf("%s: request %s, limit %s", resource, request.String(), limit.String())
		}
	}
}

// TestHookDrains holds that a pod is given the time to serve what Metacontroller has already sent it.
func TestHookDrains(t *testing.T) {
	spec := hookDeployment(t).Spec.Template.Spec
	args := spec.Containers[0].Args
	delay, timeout := duration(t, args, "-shutdown-delay="), duration(t, args, "-shutdown-timeout=")
	if delay <= 0 {
		t.Error("no -shutdown-delay: requests would still come when the pod no longer takes them")
	}
	if longest := longestTimeout(t); timeout < longest {
		t.Errorf("-shutdown-timeout %s cuts off a request that Metacontroller awaits for %s", timeout, longest)
	}
	if grace := time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second; grace <= delay+timeout {
		t.Errorf("terminationGracePeriodSeconds leaves %s, but the drain may take %s", grace, delay+timeout)
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

// duration returns the value of the flag that starts with a prefix, which the arguments must hold.
func duration(t *testing.T, args []string, prefix string) time.Duration {
	t.Helper()
	for _, arg := range args {
		value, ok := strings.CutPrefix(arg, prefix)
		if !ok {
			continue
		}
		parsed, err := time.ParseDuration(value)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	t.Fatalf("no argument %s", prefix)
	return 0
}

// longestTimeout is the longest that Metacontroller waits for an answer of ours.
func longestTimeout(t *testing.T) time.Duration {
	t.Helper()
	var longest time.Duration
	for _, controller := range controllers(t) {
		for _, hook := range controller.hooks() {
			timeout, err := time.ParseDuration(hook.Webhook.Timeout)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, timeout)
		}
	}
	return longest
}
