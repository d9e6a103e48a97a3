package manifests

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// TestChartRefuses checks that wrong values fail with a sentence that names them.
func TestChartRefuses(t *testing.T) {
	cases := map[string]string{
		"replicas: two": "/replicas",
		"replicas: -1":  "/replicas",
		"controllers: {memcached: {enabled: yes!}}": "/controllers/memcached/enabled",
		"controllers: {redis: {enabled: true}}":     "redis",
		"image: {digest: latest}":                   "/image/digest",
		"image: {pullPolicy: Sometimes}":            "/image/pullPolicy",
		"imagePullSecrets: [registry]":              "/imagePullSecrets/0",
		"goMemLimit: 230Mi":                         "/goMemLimit",
		"podAnnotations: {checked: true}":           "/podAnnotations/checked",
		"podLabels: {checked: true}":                "/podLabels/checked",
		"logLevel: loud":                            "/logLevel",
		"extraEnv: [{value: a}]":                    "/extraEnv/0",
		"tls: {token: true}":                        "tls.token needs tls.enabled",
		"tls: {clientCertificate: true}":            "tls.clientCertificate needs tls.enabled",
	}
	defaults := readObject(t, filepath.Join(root, "manifests/helm/values.yaml"))
	for _, place := range places(defaults, nil) {
		values := map[string]any{"misspelt": true}
		for _, key := range slices.Backward(place) {
			values = map[string]any{key: values}
		}
		content, err := yaml.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		cases[string(content)] = "misspelt"
	}
	for values, want := range cases {
		if _, err := render(t, namespace, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", values, err, want)
		}
	}
}

// places returns the paths of all objects in the default values whose keys the chart defines.
func places(values map[string]any, path []string) [][]string {
	found := [][]string{path}
	for key, value := range values {
		below, isObject := value.(map[string]any)
		// The keys of these are those of Kubernetes, or of the user.
		if isObject && !slices.Contains([]string{"requests", "limits", "nodeSelector", "podAnnotations", "podLabels", "podSecurityContext", "securityContext", "labels"}, key) {
			found = append(found, places(below, append(slices.Clone(path), key))...)
		}
	}
	return found
}

// TestChartPod checks that each value for the pod has its effect, and that the API server accepts the Deployment and its pods.
func TestChartPod(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	container := func(spec corev1.PodSpec) corev1.Container { return spec.Containers[0] }
	const secure = "tls: {enabled: true}"
	openShift := corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	cases := []struct {
		values string
		field  func(corev1.PodSpec) any
		want   any
	}{
		{"image: {tag: v9}", func(s corev1.PodSpec) any { return container(s).Image }, "ghcr.io/example/memcached-operator:v9"},
		{"image: {repository: r.example/m, digest: " + digest + "}", func(s corev1.PodSpec) any { return container(s).Image }, "r.example/m@" + digest},
		{"image: {tag: v9}", func(s corev1.PodSpec) any { return container(s).Args[6] }, "--operator-image=ghcr.io/example/memcached-operator:v9"},
		{"operatorImage: r.example/reloader:v1", func(s corev1.PodSpec) any { return container(s).Args[6] }, "--operator-image=r.example/reloader:v1"},
		{"image: {pullPolicy: Always}", func(s corev1.PodSpec) any { return container(s).ImagePullPolicy }, corev1.PullAlways},
		{"imagePullSecrets: [{name: registry}]", func(s corev1.PodSpec) any { return s.ImagePullSecrets }, []corev1.LocalObjectReference{{Name: "registry"}}},
		{"resources: {limits: {memory: 1Gi}}", func(s corev1.PodSpec) any { return container(s).Resources.Limits[corev1.ResourceMemory] }, resource.MustParse("1Gi")},
		{"goMemLimit: 900MiB", func(s corev1.PodSpec) any { return container(s).Env }, []corev1.EnvVar{{Name: "GOMEMLIMIT", Value: "900MiB"}}},
		{"extraArgs: [--log-level=debug]", func(s corev1.PodSpec) any { return container(s).Args[7:] }, []string{"--log-level=debug"}},
		{"logLevel: debug", func(s corev1.PodSpec) any { return container(s).Args[7:] }, []string{"--log-level=debug"}},
		{"extraEnv: [{name: GOGC, value: \"50\"}]", func(s corev1.PodSpec) any { return container(s).Env[1:] }, []corev1.EnvVar{{Name: "GOGC", Value: "50"}}},
		{"podSecurityContext: {runAsUser: null, runAsGroup: null}\n" + secure, func(s corev1.PodSpec) any { return *s.SecurityContext }, openShift},
		{"podSecurityContext: {runAsGroup: 7}\n" + secure, func(s corev1.PodSpec) any { return s.SecurityContext.FSGroup }, new(int64(7))},
		{"podSecurityContext: {fsGroup: 8}\n" + secure, func(s corev1.PodSpec) any { return s.SecurityContext.FSGroup }, new(int64(8))},
		{"securityContext: {readOnlyRootFilesystem: false}", func(s corev1.PodSpec) any { return container(s).SecurityContext.ReadOnlyRootFilesystem }, new(false)},
		{"nodeSelector: {disk: fast}", func(s corev1.PodSpec) any { return s.NodeSelector }, map[string]string{"disk": "fast"}},
		{"tolerations: [{key: cpu, operator: Exists}]", func(s corev1.PodSpec) any { return s.Tolerations }, []corev1.Toleration{{Key: "cpu", Operator: corev1.TolerationOpExists}}},
		{"affinity: {podAntiAffinity: {}}", func(s corev1.PodSpec) any { return s.Affinity }, &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{}}},
		{"priorityClassName: system-cluster-critical", func(s corev1.PodSpec) any { return s.PriorityClassName }, "system-cluster-critical"},
	}
	for _, c := range cases {
		objects := mustRender(t, namespace, c.values)
		if diff := cmp.Diff(c.want, c.field(only[appsv1.Deployment](t, objects, "Deployment").Spec.Template.Spec)); diff != "" {
			t.Errorf("%s has another effect (-want +got):\n%s", c.values, diff)
		}
		for _, object := range objects {
			if object.GetKind() != "Deployment" {
				continue
			}
			if err := created(t, object.Object); err != nil {
				t.Errorf("%s: %v", c.values, err)
			}
		}
	}
	template := only[appsv1.Deployment](t, mustRender(t, namespace, "podAnnotations: {team: caches}\npodLabels: {zone: edge}"), "Deployment").Spec.Template
	if diff := cmp.Diff(map[string]string{"team": "caches"}, template.Annotations); diff != "" || template.Labels["zone"] != "edge" {
		t.Errorf("the pod has the labels %v, and other annotations (-want +got):\n%s", template.Labels, diff)
	}
}

// TestChartNamespace checks that the chart can be installed in any namespace, and that Metacontroller can be in any namespace.
func TestChartNamespace(t *testing.T) {
	objects := mustRender(t, "hooks", everything+"metacontroller: {namespace: control, serviceAccount: caller}\n")
	checkInstallation(t, objects)
	for name, content := range byName(t, objects) {
		for _, fixed := range []string{
			"namespace: memcached-operator", `namespace="memcached-operator"`, "memcached-operator.memcached-operator", "namespace: metacontroller",
			"name: metacontroller\n", "matchNames:\n    - metacontroller\n",
		} {
			if strings.Contains(content, fixed) {
				t.Errorf("%s has %q:\n%s", name, fixed, content)
			}
		}
	}
}

// TestChartNamespacesOfTheOther: each namespace can begin with the name that the chart replaces by the other one.
func TestChartNamespacesOfTheOther(t *testing.T) {
	for name, content := range byName(t, mustRender(t, "metacontroller-hooks", everything+"metacontroller: {namespace: memcached-operator-control}\n")) {
		for _, mixed := range []string{"memcached-operator-control-hooks", "metacontroller-hooks-control"} {
			if strings.Contains(content, mixed) {
				t.Errorf("%s has %q:\n%s", name, mixed, content)
			}
		}
	}
}

// TestChartMonitoringLabels checks that each object for Prometheus has the additional labels.
func TestChartMonitoringLabels(t *testing.T) {
	labelled := 0
	for _, object := range mustRender(t, namespace, everything+"  labels: {release: prometheus}\n") {
		if object.GetLabels()["app.kubernetes.io/component"] != "monitoring" {
			continue
		}
		labelled++
		if object.GetLabels()["release"] != "prometheus" {
			t.Errorf("%s %s has the labels %v", object.GetKind(), object.GetName(), object.GetLabels())
		}
	}
	if labelled == 0 {
		t.Error("no object for Prometheus")
	}
}

// TestChartCRDs checks that Helm keeps the CRDs, which would delete all caches, unless a user chooses otherwise.
func TestChartCRDs(t *testing.T) {
	kept := func(values string) map[string]int {
		count := map[string]int{}
		for _, object := range mustRender(t, namespace, everything+values) {
			if object.GetKind() == "CustomResourceDefinition" {
				count[object.GetAnnotations()["helm.sh/resource-policy"]]++
			}
		}
		return count
	}
	all := len(kinds(t))
	for values, want := range map[string]map[string]int{"": {"keep": all}, "crds: {keep: false}": {"": all}, "crds: {install: false}": {}} {
		if diff := cmp.Diff(want, kept(values)); diff != "" {
			t.Errorf("%s: CRDs by annotation (-want +got):\n%s", values, diff)
		}
	}
}
