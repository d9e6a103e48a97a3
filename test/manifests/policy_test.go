package manifests

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// TestPolicyOfImagesAndHosts checks the samples of policies with the CEL code of the API server. test/cluster checks their other limits.
func TestPolicyOfImagesAndHosts(t *testing.T) {
	const (
		image  = "registry.example.com/shop"
		deploy = "customimagedeploy.example.com/v1 CustomImageDeploy"
		nginx  = "proxy.example.com/v1alpha1 Nginx"
		cache  = "cache.example.com/v1alpha1 Memcached"
		memory = ", tls: {secretName: tls}, resources: {limits: {memory: 1Gi}}"
	)
	cases := []struct {
		reason, kind, spec string
		limits             map[string]string // changes of limits.yaml
		want               string
	}{
		{"an allowed host", deploy, "{image: " + image + ", host: shop.apps.example.com}", nil, ""},
		{"the host of somebody else", deploy, "{image: " + image + ", host: login.example.com}", nil, "spec.host must end with .apps.example.com"},
		{"the default host is acme.shop, a public name", deploy, "{image: " + image + "}", nil, "spec.host must end with .apps.example.com"},
		{"an empty host is the default host", deploy, "{image: " + image + ", host: ''}", nil, "spec.host must end with .apps.example.com"},
		{"all hosts of others", deploy, "{image: " + image + ", host: '*.apps.example.com'}", nil, "not begin with an asterisk"},
		{"every host ends with an empty one", deploy, "{image: " + image + ", host: login.example.com}", map[string]string{"hosts": ""}, "spec.host must end with"},
		{"a kind without hosts", nginx, "{image: " + image + "}", map[string]string{"hosts": ""}, ""},
		{"every image begins with an empty prefix", nginx, "{image: evil}", map[string]string{"images": ""}, "spec.image must begin with"},
		{"an allowed image of a cache", cache, "{image: " + image + memory + ", metrics: {enabled: true, image: " + image + "}}", nil, ""},
		{"every image of a cache begins with an empty prefix", cache, "{image: evil" + memory + "}", map[string]string{"images": ""}, "spec.image must begin with"},
		{"every image of an exporter begins with an empty prefix", cache, "{image: evil" + memory + ", metrics: {enabled: true, image: evil}}",
			map[string]string{"images": ""}, "spec.metrics.image must begin with"},
	}
	objects := build(t, "manifests/policy")
	limits := find[corev1.ConfigMap](t, objects, "ConfigMap")[0]
	policies := find[admissionv1.ValidatingAdmissionPolicy](t, objects, "ValidatingAdmissionPolicy")
	for _, test := range cases {
		apiVersion, kind, _ := strings.Cut(test.kind, " ")
		object := &unstructured.Unstructured{Object: map[string]any{}}
		object.SetAPIVersion(apiVersion)
		object.SetKind(kind)
		object.SetName("acme")
		object.SetNamespace("shop")
		var spec map[string]any
		if err := yaml.Unmarshal([]byte(test.spec), &spec); err != nil {
			t.Fatal(err)
		}
		object.Object["spec"] = spec
		params := limits.DeepCopy()
		maps.Copy(params.Data, test.limits)
		messages := refusals(t, policies, object, params)
		if test.want == "" && len(messages) > 0 || test.want != "" && !strings.Contains(strings.Join(messages, "\n"), test.want) {
			t.Errorf("%s: want %q, got %q", test.reason, test.want, messages)
		}
	}
}

// refusals returns the messages of the expressions with which the policies for the group of an object refuse to create it.
func refusals(t *testing.T, policies []admissionv1.ValidatingAdmissionPolicy, object *unstructured.Unstructured, params *corev1.ConfigMap) []string {
	t.Helper()
	var messages []string
	matched := false
	for _, policy := range policies {
		isForGroup := func(rule admissionv1.NamedRuleWithOperations) bool {
			return slices.Contains(rule.APIGroups, object.GroupVersionKind().Group)
		}
		if !slices.ContainsFunc(policy.Spec.MatchConstraints.ResourceRules, isForGroup) {
			continue
		}
		matched = true
		var expressions []string
		for _, each := range policy.Spec.Validations {
			expressions = append(expressions, each.Expression, cmp.Or(each.MessageExpression, strconv.Quote(each.Message)))
		}
		results := evaluate(t, policy.Spec.Variables, expressions, object, params)
		for i := 0; i < len(results); i += 2 {
			if results[i].EvalResult != types.True {
				messages = append(messages, fmt.Sprint(results[i+1].EvalResult))
			}
		}
	}
	if !matched {
		t.Fatalf("no policy is for %s", object.GroupVersionKind())
	}
	return messages
}

// evaluate evaluates expressions with the variables of a policy, for a new object.
func evaluate(
	t *testing.T, variables []admissionv1.Variable, texts []string, object *unstructured.Unstructured, params *corev1.ConfigMap,
) []cel.EvaluationResult {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	withParams := cel.OptionalVariableDeclarations{HasParams: true}
	for _, each := range variables {
		compiler.CompileAndStoreVariable(expression{each.Name, each.Expression}, withParams, environment.StoredExpressions)
	}
	var expressions []cel.ExpressionAccessor
	for _, text := range texts {
		expressions = append(expressions, expression{text: text})
	}
	kind := object.GroupVersionKind()
	attributes := &admission.VersionedAttributes{
		Attributes: admission.NewAttributesRecord(
			object, nil, kind, object.GetNamespace(), object.GetName(), schema.GroupVersionResource{}, "", admission.Create, nil, false, nil),
		VersionedKind:   kind,
		VersionedObject: admission.NewLazyObject(object),
	}
	request := cel.CreateAdmissionRequest(attributes, metav1.GroupVersionResource{}, metav1.GroupVersionKind(kind))
	results, _, err := compiler.CompileCondition(expressions, withParams, environment.StoredExpressions).
		ForInput(t.Context(), attributes, request, cel.OptionalVariableBindings{VersionedParams: params}, nil, celconfig.RuntimeCELCostBudget)
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range results {
		if result.Error != nil {
			t.Fatalf("%s: %v", texts[i], result.Error)
		}
	}
	return results
}

// expression is an expression of a policy. Variables have a name.
type expression struct{ name, text string }

func (e expression) GetName() string { return e.name }

func (e expression) GetExpression() string { return e.text }

func (e expression) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType, celgo.DynType} }
