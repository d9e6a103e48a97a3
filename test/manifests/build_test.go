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

// kustomizations lists the folders at and below one that hold a kustomization.
func kustomizations(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(root, folder), func(file string, _ fs.DirEntry, err error) error {
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
		t.Fatalf("no kustomization below %s", folder)
	}
	return found
}

// TestBuild holds that every kustomization builds, by itself. A component changes what another one builds: production
// has all of them.
func TestBuild(t *testing.T) {
	for _, folder := range append(kustomizations(t, "manifests"), kustomizations(t, "crds")...) {
		if path.Dir(folder) == "manifests/components" {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			if len(build(t, folder)) == 0 {
				t.Error("builds no object")
			}
		})
	}
}

// TestInstallations holds that what kubectl apply -k installs fits together: each controller's parent is defined, and
// each of its hooks leads through a Service to a port of the hook's pods.
func TestInstallations(t *testing.T) {
	everything := sets.New[string]()
	for _, controller := range controllers(t) {
		everything.Insert(controller.Name)
	}
	cases := map[string]struct {
		folders     []string
		controllers sets.Set[string]
	}{
		"default": {[]string{"manifests/default"}, sets.New("memcached")},
		"all":     {[]string{"manifests/all"}, everything},
	}
	for name := range everything.Difference(sets.New("memcached")) {
		c := cases[name]
		c.folders, c.controllers = []string{"manifests/base", "manifests/" + name}, sets.New(name)
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, folder := range c.folders {
				objects = append(objects, build(t, folder)...)
			}
			if diff := cmp.Diff(sets.List(c.controllers), sets.List(checkInstallation(t, objects))); diff != "" {
				t.Errorf("installs other controllers than it says (-want +got):\n%s", diff)
			}
		})
	}
}

// checkInstallation returns the names of the controllers among the objects.
func checkInstallation(t *testing.T, objects []*unstructured.Unstructured) sets.Set[string] {
	t.Helper()
	definitions := find[apiextensionsv1.CustomResourceDefinition](t, objects, "CustomResourceDefinition")
	services := find[corev1.Service](t, objects, "Service")
	deployments := find[appsv1.Deployment](t, objects, "Deployment")
	installed := sets.New[string]()
	for _, controller := range find[compositeController](t, objects, "CompositeController") {
		installed.Insert(controller.Name)
		if parent := controller.Spec.ParentResource; !defined(definitions, parent.APIVersion, parent.Resource) {
			t.Errorf("no CustomResourceDefinition serves the parent %s %s", parent.APIVersion, parent.Resource)
		}
		for name, hook := range controller.hooks() {
			if want := path.Join("/", controller.Name, name); hook.Webhook.Path != want {
				t.Errorf("%s hook: path is %s, but the program serves %s", name, hook.Webhook.Path, want)
			}
			if !reachable(services, deployments, hook) {
				t.Errorf("%s hook: no Service %v leads to a pod", name, hook.Webhook.Service)
			}
		}
	}
	if len(definitions) != len(installed) {
		t.Errorf("%d parents are defined, %d have a controller", len(definitions), len(installed))
	}
	return installed
}

func defined(definitions []apiextensionsv1.CustomResourceDefinition, apiVersion, resource string) bool {
	for _, crd := range definitions {
		for _, version := range crd.Spec.Versions {
			if crd.Spec.Names.Plural == resource && crd.Spec.Group+"/"+version.Name == apiVersion && version.Served {
				return true
			}
		}
	}
	return false
}

// reachable reports whether a hook's URL, which Metacontroller makes of its Service and by default port 80, leads to a
// named port of a Deployment's pods.
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
