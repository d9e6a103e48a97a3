package manifests

import (
	"io/fs"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
)

// kustomizations returns the directories with a kustomization, at and below a directory.
func kustomizations(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(root, dir), func(file string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Base(file) == "kustomization.yaml" {
			below, _ := filepath.Rel(root, filepath.Dir(file))
			found = append(found, filepath.ToSlash(below))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no kustomization below %s", dir)
	}
	return found
}

// TestBuild checks that every kustomization builds. Components cannot be built alone: TestChart builds them.
func TestBuild(t *testing.T) {
	for _, dir := range append(kustomizations(t, "manifests"), kustomizations(t, "crds")...) {
		if path.Dir(dir) == "manifests/components" {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			if len(build(t, dir)) == 0 {
				t.Error("the kustomization has no object")
			}
		})
	}
}

// TestInstallations checks what kubectl apply -k installs: each controller's parent has a CRD, and each hook URL leads to a
// port of the hook's pods through a Service.
func TestInstallations(t *testing.T) {
	everything := sets.New[string]()
	for _, controller := range controllers(t) {
		everything.Insert(controller.Name)
	}
	cases := map[string]struct {
		dirs        []string
		controllers sets.Set[string]
	}{
		"default": {[]string{"manifests/default"}, sets.New("memcached")},
		"minimal": {[]string{"manifests/minimal"}, sets.New("memcached")},
		"all":     {[]string{"manifests/all"}, everything},
	}
	for name := range everything.Difference(sets.New("memcached")) {
		c := cases[name]
		c.dirs, c.controllers = []string{"manifests/base", "manifests/" + name}, sets.New(name)
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, dir := range c.dirs {
				objects = append(objects, build(t, dir)...)
			}
			if diff := cmp.Diff(sets.List(c.controllers), sets.List(checkInstallation(t, objects))); diff != "" {
				t.Errorf("it installs other controllers (-want +got):\n%s", diff)
			}
		})
	}
}

// checkInstallation checks the CRD and the hooks of each controller, and returns the names of the controllers.
func checkInstallation(t *testing.T, objects []*unstructured.Unstructured) sets.Set[string] {
	t.Helper()
	crds := find[apiextensionsv1.CustomResourceDefinition](t, objects, "CustomResourceDefinition")
	services := find[corev1.Service](t, objects, "Service")
	deployments := find[appsv1.Deployment](t, objects, "Deployment")
	installed := sets.New[string]()
	for _, controller := range find[compositeController](t, objects, "CompositeController") {
		installed.Insert(controller.Name)
		if parent := controller.Spec.ParentResource; !defined(crds, parent.APIVersion, parent.Resource) {
			t.Errorf("no CRD serves the parent %s %s", parent.APIVersion, parent.Resource)
		}
		for name, hook := range controller.hooks() {
			if want := path.Join("/", controller.Name, name); hook.Webhook.Path != want {
				t.Errorf("%s hook: path is %s, but the program serves %s", name, hook.Webhook.Path, want)
			}
			if !reachable(services, deployments, hook) {
				t.Errorf("%s hook: the Service %v does not lead to a pod", name, hook.Webhook.Service)
			}
		}
	}
	if len(crds) != len(installed) {
		t.Errorf("%d CRDs, but %d controllers", len(crds), len(installed))
	}
	return installed
}

func defined(crds []apiextensionsv1.CustomResourceDefinition, apiVersion, resource string) bool {
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if crd.Spec.Names.Plural == resource && crd.Spec.Group+"/"+version.Name == apiVersion && version.Served {
				return true
			}
		}
	}
	return false
}

// reachable reports whether the URL of a hook leads to a named port of a Deployment's pods. Metacontroller builds the URL from
// the Service and the port, which is 80 by default.
func reachable(services []corev1.Service, deployments []appsv1.Deployment, hook *hook) bool {
	for _, service := range services {
		if service.Name != hook.Webhook.Service.Name || service.Namespace != hook.Webhook.Service.Namespace {
			continue
		}
		for _, deployment := range deployments {
			if deployment.Namespace == service.Namespace && serves(service, hook.port(), deployment.Spec.Template) {
				return true
			}
		}
	}
	return false
}

func serves(service corev1.Service, wanted int32, template corev1.PodTemplateSpec) bool {
	if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(template.Labels)) {
		return false
	}
	for _, port := range service.Spec.Ports {
		for _, target := range template.Spec.Containers[0].Ports {
			if port.Port == wanted && port.TargetPort == intstr.FromString(target.Name) {
				return true
			}
		}
	}
	return false
}
