package manifests

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"
)

const namespace = "memcached-operator"

var everyComponent = []string{
	"components/high-availability", "components/admission-policy", "components/aggregate-to-edit", "components/tls", "components/client-certificate", "components/token",
	"components/monitoring", "components/service-monitors",
}

// TestChart checks that the Helm chart renders the objects of each kustomization.
func TestChart(t *testing.T) {
	cases := map[string]struct {
		values                string
		resources, components []string
	}{
		"default":            {"", []string{"default"}, nil},
		"high-availability":  {"replicas: 2", []string{"default"}, []string{"components/high-availability"}},
		"admission-policy":   {"admissionPolicy: {enabled: true}", []string{"default"}, []string{"components/admission-policy"}},
		"aggregate-to-edit":  {"rbac: {aggregateToEdit: true}", []string{"default"}, []string{"components/aggregate-to-edit"}},
		"tls":                {"tls: {enabled: true}", []string{"default"}, []string{"components/tls"}},
		"client-certificate": {"tls: {enabled: true, clientCertificate: true}", []string{"default"}, []string{"components/tls", "components/client-certificate"}},
		"token":              {"tls: {enabled: true, token: true}", []string{"default"}, []string{"components/tls", "components/token"}},
		"monitoring": {
			"monitoring: {monitors: true, alerts: true, dashboard: true, kubeStateMetrics: true}",
			[]string{"default"},
			[]string{"components/monitoring"},
		},
		"service-monitors": {"controllers: {memcached: {serviceMonitors: true}}", []string{"default"}, []string{"components/service-monitors"}},
		"everything":       {everything, []string{"all"}, everyComponent},
	}
	for _, preset := range glob(t, "manifests/helm/presets/*.yaml") {
		values, err := os.ReadFile(preset)
		if err != nil {
			t.Fatal(err)
		}
		c := cases["default"]
		name := strings.TrimSuffix(filepath.Base(preset), ".yaml")
		c.values, c.resources = string(values), []string{name}
		cases[name] = c
	}
	for _, component := range kustomizations(t, "manifests/components") {
		if name := filepath.Base(component); cases[name].components == nil {
			t.Errorf("no case for %s", component)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			want := overlay(t, c.resources, c.components)
			// Helm creates the namespace of a release.
			want = slices.DeleteFunc(want, func(object *unstructured.Unstructured) bool { return object.GetKind() == "Namespace" })
			compare(t, byName(t, want), byName(t, withoutHelm(mustRender(t, namespace, c.values))))
		})
	}
}

// everything has the values of all kinds and all components.
const everything = `
controllers: {memcached: {serviceMonitors: true}, nginx: {enabled: true}, customimagedeploy: {enabled: true}, xca: {enabled: true}}
replicas: 2
tls: {enabled: true, clientCertificate: true, token: true}
admissionPolicy: {enabled: true}
rbac: {aggregateToEdit: true}
monitoring:
  monitors: true
  alerts: true
  dashboard: true
  kubeStateMetrics: true
`

// render returns the objects of the chart, as helm template does. values are YAML.
func render(t *testing.T, namespace, values string) ([]*unstructured.Unstructured, error) {
	t.Helper()
	slog.SetLogLoggerLevel(slog.LevelWarn) // Helm logs each symbolic link
	loaded, err := loader.LoadDir(filepath.Join(root, "manifests/helm"))
	if err != nil {
		t.Fatal(err)
	}
	options := common.ReleaseOptions{Name: "memcached-operator", Namespace: namespace, IsInstall: true, Revision: 1}
	all, err := util.ToRenderValues(loaded, parse(t, values), options, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		for _, document := range strings.Split("\n"+files[file], "\n---\n") {
			if object := decode(t, file, []byte(document)); len(object) > 0 {
				objects = append(objects, &unstructured.Unstructured{Object: object})
			}
		}
	}
	return objects, nil
}

func mustRender(t *testing.T, namespace, values string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := render(t, namespace, values)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func parse(t *testing.T, values string) map[string]any {
	t.Helper()
	parsed := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(values), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}

// withoutHelm removes what only the chart adds: Helm's labels, and the annotation that keeps a CRD.
func withoutHelm(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, object := range objects {
		for _, label := range []string{"helm.sh/chart", "app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by"} {
			unstructured.RemoveNestedField(object.Object, "metadata", "labels", label)
		}
		if len(object.GetLabels()) == 0 {
			unstructured.RemoveNestedField(object.Object, "metadata", "labels")
		}
		unstructured.RemoveNestedField(object.Object, "metadata", "annotations", "helm.sh/resource-policy")
	}
	return objects
}

// byName returns the YAML of the objects by kind, namespace and name. Two objects with the same name fail the test.
func byName(t *testing.T, objects []*unstructured.Unstructured) map[string]string {
	t.Helper()
	named := map[string]string{}
	for _, object := range objects {
		name := strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, " ")
		if named[name] != "" {
			t.Errorf("two objects %s", name)
		}
		content, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		named[name] = string(content)
	}
	return named
}

// compare reports the objects that differ. The whole map in one diff would print all CRDs.
func compare(t *testing.T, kustomization, chart map[string]string) {
	t.Helper()
	for name := range sets.KeySet(kustomization).Union(sets.KeySet(chart)) {
		switch {
		case chart[name] == "":
			t.Errorf("the chart has no %s", name)
		case kustomization[name] == "":
			t.Errorf("the kustomization has no %s", name)
		case chart[name] != kustomization[name]:
			t.Errorf("%s differs (-kustomization +chart):\n%s", name, cmp.Diff(kustomization[name], chart[name]))
		}
	}
}
