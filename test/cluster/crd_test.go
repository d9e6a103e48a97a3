package cluster

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// refusal is a case of testdata/refused: an object that breaks one rule of its CustomResourceDefinition.
type refusal struct {
	Breaks string         `json:"breaks"`
	Says   string         `json:"says"`
	Reason string         `json:"reason"`
	Object map[string]any `json:"object"`
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	namespace := newNamespace(t)
	for _, crd := range crds(t) {
		t.Run(crd.Name, func(t *testing.T) {
			cases := refusals(t, crd)
			for _, c := range cases {
				t.Run(c.Reason, func(t *testing.T) {
					o := &unstructured.Unstructured{Object: c.Object}
					o.SetNamespace(namespace)
					err := shared.Client.Create(t.Context(), o, client.DryRunAll)
					if !apierrors.IsInvalid(err) {
						t.Fatalf("the API server should refuse it as invalid, and says: %v", err)
					}
					if says := cmp.Or(c.Says, c.Breaks); !strings.Contains(err.Error(), says) {
						t.Errorf("the refusal should say %q, and says %q", says, err)
					}
				})
			}
			because(t, "a rule without a case is one that nobody has seen refuse anything")
			for _, rule := range rulesOf(crd) {
				if !slices.ContainsFunc(cases, func(c refusal) bool { return c.Breaks == rule }) {
					t.Errorf("testdata/refused/%s.yaml has no case that breaks %q", crd.Name, rule)
				}
			}
		})
	}
}

func TestFieldsAreExplained(t *testing.T) {
	because(t, "kubectl explain is the manual that everyone has at hand")
	t.Parallel()
	for _, crd := range crds(t) {
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		for field, schema := range spec.Properties {
			out := kubectl(t, "explain", crd.Spec.Names.Singular+".spec."+field, "--api-version", crd.Spec.Group+"/"+crd.Spec.Versions[0].Name)
			// kubectl breaks lines as it likes.
			if words := strings.Join(strings.Fields(schema.Description), " "); words == "" || !strings.Contains(strings.Join(strings.Fields(out), " "), words) {
				t.Errorf("kubectl explain %s.spec.%s should tell %q:\n%s", crd.Spec.Names.Singular, field, words, out)
			}
		}
	}
}

func TestSamplesAreValid(t *testing.T) {
	because(t, "a sample is the first thing that a newcomer applies")
	t.Parallel()
	files, err := shared.SampleFiles()
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there are none")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out := kubectl(t, "apply", "--dry-run=server", "--validate=strict", "--filename", file)
			if !strings.Contains(out, "(server dry run)") || strings.Contains(out, "Warning") {
				t.Error(out)
			}
		})
	}
}

func TestRestrictedNamespaceAdmitsThePods(t *testing.T) {
	because(t, "the restricted Pod Security Standard is what careful clusters enforce: a pod that breaks it never starts")
	t.Parallel()
	namespace := newNamespace(t)
	careless := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "careless"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "memcached"}}},
	}
	// Without this the test would pass in a cluster that enforces nothing.
	if err := shared.Client.Create(t.Context(), careless, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Fatalf("a pod without a security context should be forbidden: %v", err)
	}
	newMemcached(t, namespace, "cache", 2)
}

// crds are the CustomResourceDefinitions of the repository.
func crds(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(shared.root, "crds", "*"))
	must(t, err)
	options := envtest.CRDInstallOptions{Paths: folders, ErrorIfPathMissing: true}
	must(t, envtest.ReadCRDFiles(&options))
	if len(options.CRDs) == 0 {
		t.Fatal("there are no CustomResourceDefinitions")
	}
	return options.CRDs
}

func refusals(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) (cases []refusal) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "refused", crd.Name+".yaml"))
	must(t, err)
	must(t, yaml.UnmarshalStrict(content, &cases))
	return cases
}

// rulesOf names every rule of the spec and of the whole object: a bound by its path and keyword, a CEL rule by its message.
func rulesOf(crd *apiextensionsv1.CustomResourceDefinition) []string {
	var rules []string
	for _, version := range crd.Spec.Versions {
		schema := *version.Schema.OpenAPIV3Schema.DeepCopy()
		delete(schema.Properties, "status")
		rules = append(rules, rulesOfSchema("", schema)...)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func rulesOfSchema(path string, s apiextensionsv1.JSONSchemaProps) (rules []string) {
	for keyword, set := range map[string]bool{
		"minimum": s.Minimum != nil, "maximum": s.Maximum != nil, "enum": len(s.Enum) > 0,
		"minLength": s.MinLength != nil, "maxLength": s.MaxLength != nil,
		"minItems": s.MinItems != nil, "maxItems": s.MaxItems != nil,
		// The pattern of a quantity comes with its type, not from the author of the CRD.
		"pattern": s.Pattern != "" && !s.XIntOrString,
	} {
		if set {
			rules = append(rules, path+" "+keyword)
		}
	}
	for _, validation := range s.XValidations {
		rules = append(rules, cmp.Or(validation.Message, validation.Rule))
	}
	for _, name := range s.Required {
		rules = append(rules, join(path, name)+" required")
	}
	for name, property := range s.Properties {
		rules = append(rules, rulesOfSchema(join(path, name), property)...)
	}
	if s.Items != nil && s.Items.Schema != nil {
		rules = append(rules, rulesOfSchema(path+"[]", *s.Items.Schema)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		rules = append(rules, rulesOfSchema(path+"{}", *s.AdditionalProperties.Schema)...)
	}
	return rules
}

func join(path, name string) string {
	return strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
}
