package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// TestThreatModel checks that the tables of the threat model have each field of each spec once, and no other field.
func TestThreatModel(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "manifests/docs/threat-model.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, tables, found := strings.Cut(string(content), "\n## What each field gives\n")
	if !found {
		t.Fatal("the page has no section with the fields")
	}
	for gvk, k := range kinds(t) {
		_, section, _ := strings.Cut(tables, "\n### "+gvk.Kind+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		spec := k.structural.Properties["spec"]
		if diff := cmp.Diff(fieldsOf("", &spec), tableFields(section)); diff != "" {
			t.Errorf("%s: the table has other fields than the CRD (-CRD +table):\n%s", gvk.Kind, diff)
		}
	}
}

// kubernetesTypes are fields of Kubernetes types, whose own fields have one power.
var kubernetesTypes = sets.New("resources", "affinity", "podSecurityContext", "securityContext")

// fieldsOf returns the sorted paths of the fields of a spec, down to the second level.
func fieldsOf(prefix string, s *schema.Structural) []string {
	var fields []string
	for name, property := range s.Properties {
		if prefix == "" && len(property.Properties) > 0 && !kubernetesTypes.Has(name) {
			fields = append(fields, fieldsOf(name+".", &property)...)
			continue
		}
		fields = append(fields, prefix+name)
	}
	slices.Sort(fields)
	return fields
}

var (
	firstCell   = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
	inBackticks = regexp.MustCompile("`([^`]+)`")
)

// tableFields returns the sorted names in the first cells of a table.
func tableFields(section string) []string {
	var fields []string
	for _, cell := range firstCell.FindAllStringSubmatch(section, -1) {
		for _, name := range inBackticks.FindAllStringSubmatch(cell[1], -1) {
			fields = append(fields, name[1])
		}
	}
	slices.Sort(fields)
	return fields
}
