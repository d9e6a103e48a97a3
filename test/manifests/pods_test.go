package manifests

import (
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// standards has the Pod Security Standard of the pods of each parent. A CustomImageDeploy is baseline, because the image of a
// user can need root.
var standards = map[string]api.Level{
	"customimagedeploy": api.LevelBaseline,
	"memcached":         api.LevelRestricted,
	"nginx":             api.LevelRestricted,
}

// TestPodsMeetTheirStandard checks the pods of every Deployment and Job that a recorded request results in, with the code of the API server's admission plugin.
func TestPodsMeetTheirStandard(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for controller, standard := range standards {
		level := api.LevelVersion{Level: standard, Version: api.LatestVersion()}
		evaluated := 0
		for _, file := range glob(t, "test/testdata/"+controller+"/sync/*/request.json") {
			found := children(t, "/"+controller+"/sync", file)
			var templates []corev1.PodTemplateSpec
			for _, deployment := range find[appsv1.Deployment](t, found, "Deployment") {
				templates = append(templates, deployment.Spec.Template)
			}
			for _, job := range find[batchv1.Job](t, found, "Job") {
				templates = append(templates, job.Spec.Template)
			}
			for _, template := range templates {
				evaluated++
				for _, result := range evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
					if !result.Allowed {
						t.Errorf("%s: the %s standard: %s: %s", caseName(t, filepath.Dir(file)), standard, result.ForbiddenReason, result.ForbiddenDetail)
					}
				}
			}
		}
		if evaluated == 0 {
			t.Errorf("%s: no response has a Deployment", controller)
		}
	}
}

// children returns the children in the response to a recorded request.
func children(t *testing.T, url, file string) []*unstructured.Unstructured {
	t.Helper()
	request, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	items, _, err := unstructured.NestedSlice(decode(t, file, post(url, request).Body.Bytes()), "children")
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var objects []*unstructured.Unstructured
	for _, item := range items {
		objects = append(objects, &unstructured.Unstructured{Object: item.(map[string]any)})
	}
	return objects
}
