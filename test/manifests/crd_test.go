package manifests

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// kind is a served version of a CRD, with the API server's code to validate objects.
type kind struct {
	crd        *apiextensionsv1.CustomResourceDefinition
	version    apiextensionsv1.CustomResourceDefinitionVersion
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// kinds loads every CRD below crds/. It fails on a CRD that the API server would refuse.
func kinds(t *testing.T) map[runtimeschema.GroupVersionKind]kind {
	t.Helper()
	loaded := map[runtimeschema.GroupVersionKind]kind{}
	for _, file := range glob(t, "crds/*/*.yaml") {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		var crd apiextensionsv1.CustomResourceDefinition
		read(t, file, &crd)
		if err := check(t, crd.DeepCopy()); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, version := range crd.Spec.Versions {
			gvk := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
			k, err := newKind(&crd, version)
			if err != nil {
				t.Fatalf("%s: version %s: %v", file, version.Name, err)
			}
			loaded[gvk] = k
		}
	}
	return loaded
}

// check validates a new CRD as the API server does: the structural schema, the defaults, and the CEL rules with their cost.
func check(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) error {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	scheme.Default(crd)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(crd, &internal, nil); err != nil {
		return err
	}
	internal.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
	return crdvalidation.ValidateCustomResourceDefinition(t.Context(), &internal).ToAggregate()
}

func newKind(crd *apiextensionsv1.CustomResourceDefinition, version apiextensionsv1.CustomResourceDefinitionVersion) (kind, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return kind{}, fmt.Errorf("convert schema: %w", err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return kind{}, fmt.Errorf("structural schema: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return kind{}, fmt.Errorf("schema validator: %w", err)
	}
	return kind{
		crd:        crd,
		version:    version,
		structural: structural,
		schema:     validator,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// admit processes an object as the API server does before it stores the object: it prunes unknown fields and nulls, sets
// defaults, and validates the schema and the CEL rules. It returns the stored object, the paths of unknown fields, and the
// problems as "field: type: message", or "type: message" for the whole object. An old object makes it an update.
func (k kind) admit(t *testing.T, object, old map[string]any) (stored map[string]any, unknown, problems []string) {
	t.Helper()
	stored = runtime.DeepCopyJSON(object)
	unknown = pruning.PruneWithOptions(stored, k.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(stored, k.structural)
	defaulting.Default(stored, k.structural)
	if old != nil { // the API server also sets defaults in an object that it reads
		old = runtime.DeepCopyJSON(old)
		defaulting.Default(old, k.structural)
	}
	for _, problem := range k.validate(t, stored, old) {
		sentence := fmt.Sprintf("%s: %s: %s", problem.Field, problem.Type, problem.Detail)
		sentence = strings.TrimPrefix(sentence, "<nil>: ") // the whole object
		problems = append(problems, strings.TrimSuffix(sentence, ": "))
	}
	slices.Sort(problems)
	return stored, unknown, problems
}

func (k kind) validate(t *testing.T, object, old map[string]any) field.ErrorList {
	t.Helper()
	var errs field.ErrorList
	var oldObject any
	if old == nil {
		errs = validation.ValidateCustomResource(nil, object, k.schema)
	} else {
		oldObject = old
		errs = validation.ValidateCustomResourceUpdate(nil, object, oldObject, k.schema)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, object)...)
	if len(errs) > 0 || k.rules == nil {
		return errs // the API server does not run CEL rules on an object that violates the schema
	}
	errs, _ = k.rules.Validate(t.Context(), nil, k.structural, object, oldObject, celconfig.RuntimeCELCostBudget)
	return errs
}

// kindOf returns the kind of an object. It fails if no CRD below crds/ serves the kind.
func kindOf(t *testing.T, known map[runtimeschema.GroupVersionKind]kind, object map[string]any) kind {
	t.Helper()
	apiVersion, _ := object["apiVersion"].(string)
	name, _ := object["kind"].(string)
	k, ok := known[runtimeschema.FromAPIVersionAndKind(apiVersion, name)]
	if !ok {
		t.Fatalf("no CRD below crds/ serves %s %s", apiVersion, name)
	}
	return k
}
