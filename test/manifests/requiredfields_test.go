package manifests

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/internal/apiserver"
)

// TestRequiredFields removes each field of objects, and checks that the model of hookcheck refuses none that the API server accepts. The
// model knows fewer rules, but two thirds of those for a missing field.
func TestRequiredFields(t *testing.T) {
	var objects []map[string]any
	read(t, glob(t, "test/manifests/testdata/requiredfields.yaml")[0], &objects)
	refused, known := 0, 0
	for _, object := range objects {
		without(object, "", func(path string) {
			if strings.HasPrefix(path, ".metadata") || path == ".kind" || path == ".apiVersion" {
				return // other checks
			}
			raw, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			copied := &unstructured.Unstructured{}
			if err := json.Unmarshal(raw, &copied.Object); err != nil {
				t.Fatal(err)
			}
			_, problems := apiserver.Problems(copied)
			err = create(t, raw)
			switch {
			case err != nil:
				if refused++; len(problems) > 0 {
					known++
				}
				if path == "" {
					t.Errorf("%v: %v", object["kind"], err)
				}
			case len(problems) > 0:
				t.Errorf("the API server accepts %v without %s, the model has %v", object["kind"], path, problems)
			}
		})
	}
	if t.Logf("the model refuses %d of %d objects that the API server refuses", known, refused); 3*known < 2*refused {
		t.Error("these are less than two thirds")
	}
}

// without calls try with the whole value, and after each field of it has been removed, with the path of the field.
func without(value any, path string, try func(path string)) {
	if path == "" {
		try(path)
	}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			delete(value, name)
			try(path + "." + name)
			value[name] = member
			without(member, path+"."+name, try)
		}
	case []any:
		for _, item := range value {
			without(item, path+"[]", try)
		}
	}
}
