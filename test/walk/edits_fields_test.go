package walk

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestEditsSetEveryField walks the type of spec, and checks that an edit sets each field. Types of Kubernetes count as one field.
// spec.workload is immutable: a walk creates the Memcached with it.
func TestEditsSetEveryField(t *testing.T) {
	t.Parallel()
	fields := map[string]bool{}
	fieldsOf(reflect.TypeFor[v1alpha1.MemcachedSpec](), "spec", fields)
	missing, removed := maps.Clone(fields), map[string]bool{}
	for _, edit := range append(slices.Clone(edits), `{"workload": "StatefulSet"}`) {
		var values map[string]any
		if err := json.Unmarshal([]byte(edit), &values); err != nil {
			t.Fatalf("%v: %s", err, edit)
		}
		visit(values, "spec", func(path string, value any) {
			if value == nil {
				removed[path] = true
				return
			}
			delete(missing, path)
		})
	}
	if len(missing) > 0 || len(fields) < 60 {
		t.Errorf("a walk must set every field of spec, but no edit sets %v of %d fields", slices.Sorted(maps.Keys(missing)), len(fields))
	}
	for path := range fields {
		parts := strings.Split(path, ".")
		if path != "spec.size" && path != "spec.workload" && !removed[path] && !removed[strings.Join(parts[:2], ".")] {
			t.Errorf("a walk must remove every field again, but no edit removes %s", path)
		}
	}
}

// fieldsOf adds the paths of all fields of a type.
func fieldsOf(of reflect.Type, path string, fields map[string]bool) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || !strings.HasSuffix(of.PkgPath(), "/v1alpha1") || !strings.Contains(of.PkgPath(), "memcached-operator") {
		fields[path] = true
		return
	}
	for field := range of.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if options == "inline" {
			fieldsOf(field.Type, path, fields)
			continue
		}
		fieldsOf(field.Type, fmt.Sprint(path, ".", name), fields)
	}
}

func visit(value any, path string, seen func(path string, value any)) {
	seen(path, value)
	if values, ok := value.(map[string]any); ok {
		for key, below := range values {
			visit(below, path+"."+key, seen)
		}
	}
}
