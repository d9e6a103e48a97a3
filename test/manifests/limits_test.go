package manifests

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// limit is a limit of a schema on a field, and the start of the API server's message about a violation.
type limit struct{ path, message string }

// kubernetesFields are fields with types of Kubernetes. This test ignores their limits.
var kubernetesFields = []string{
	"spec.affinity", "spec.networkPolicy.from[]", "spec.podSecurityContext", "spec.resources", "spec.securityContext",
	"spec.tolerations[]", "spec.topologySpreadConstraints[]",
}

// limits returns the limits of a parent's metadata and spec. In a path, [] is an item of a list and {} a value of a map.
func limits(path string, s *schema.Structural) []limit {
	if path == "status" || slices.Contains(kubernetesFields, path) {
		return nil
	}
	var found []limit
	if rules := s.ValueValidation; rules != nil {
		for message, set := range map[string]bool{
			": Invalid value: " + path + " in body should be greater than or equal to ": rules.Minimum != nil,
			": Invalid value: " + path + " in body should be less than or equal to ":    rules.Maximum != nil,
			": Invalid value: " + path + " in body should be at least ":                 rules.MinLength != nil,
			": Invalid value: " + path + " in body should match ":                       rules.Pattern != "" && !s.XIntOrString,
			": Unsupported value: ": len(rules.Enum) > 0,
			": Too long: ":          rules.MaxLength != nil,
			": Too many: ":          rules.MaxItems != nil || rules.MaxProperties != nil,
		} {
			if set {
				found = append(found, limit{path, message})
			}
		}
		for _, name := range rules.Required {
			found = append(found, limit{below(path, name), ": Required value"})
		}
	}
	for name := range s.Properties {
		property := s.Properties[name]
		found = append(found, limits(below(path, name), &property)...)
	}
	if s.Items != nil {
		found = append(found, limits(path+"[]", s.Items)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		found = append(found, limits(path+"{}", s.AdditionalProperties.Structural)...)
	}
	return found
}

// reported reports whether one of the messages is about this limit.
func (l limit) reported(messages []string) bool {
	pattern := strings.NewReplacer(`\[\]`, `\[\d+\]`, `\{\}`, `\.[^.: ]+`).Replace(regexp.QuoteMeta(l.path + l.message))
	return slices.ContainsFunc(messages, regexp.MustCompile("^"+pattern).MatchString)
}

func below(path, name string) string {
	return strings.TrimPrefix(path+"."+name, ".")
}
