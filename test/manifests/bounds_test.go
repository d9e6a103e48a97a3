package manifests

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// bound is a limit that a schema puts on a field, and how the API server begins to say that it is broken.
type bound struct{ path, says string }

// borrowed are fields of Kubernetes' own types. Their limits are not ours to test.
var borrowed = []string{
	"spec.affinity", "spec.networkPolicy.from[]", "spec.podSecurityContext", "spec.resources", "spec.securityContext",
	"spec.tolerations[]", "spec.topologySpreadConstraints[]",
}

// bounds lists the limits of a parent's metadata and spec. Items of a list are written [], values of a map {}.
func bounds(path string, s *schema.Structural) []bound {
	if path == "status" || slices.Contains(borrowed, path) {
		return nil
	}
	var found []bound
	if limits := s.ValueValidation; limits != nil {
		for says, set := range map[string]bool{
			": Invalid value: " + path + " in body should be greater than or equal to ": limits.Minimum != nil,
			": Invalid value: " + path + " in body should be less than or equal to ":    limits.Maximum != nil,
			": Invalid value: " + path + " in body should be at least ":                 limits.MinLength != nil,
			": Invalid value: " + path + " in body should match ":                       limits.Pattern != "" && !s.XIntOrString,
			": Unsupported value: ": len(limits.Enum) > 0,
			": Too long: ":          limits.MaxLength != nil,
			": Too many: ":          limits.MaxItems != nil || limits.MaxProperties != nil,
		} {
			if set {
				found = append(found, bound{path, says})
			}
		}
		for _, name := range limits.Required {
			found = append(found, bound{below(path, name), ": Required value"})
		}
	}
	for name := range s.Properties {
		property := s.Properties[name]
		found = append(found, bounds(below(path, name), &property)...)
	}
	if s.Items != nil {
		found = append(found, bounds(path+"[]", s.Items)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		found = append(found, bounds(path+"{}", s.AdditionalProperties.Structural)...)
	}
	return found
}

// broken reports whether one of the sentences is about this bound.
func (b bound) broken(sentences []string) bool {
	pattern := strings.NewReplacer(`\[\]`, `\[\d+\]`, `\{\}`, `\.[^.: ]+`).Replace(regexp.QuoteMeta(b.path + b.says))
	return slices.ContainsFunc(sentences, regexp.MustCompile("^"+pattern).MatchString)
}

func below(path, name string) string {
	return strings.TrimPrefix(path+"."+name, ".")
}
