package walk

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// TestEditsSetEveryField checks that an edit sets each field of spec, so that a new field is part of the walks. Types of Kubernetes count as one
// field. A walk creates the Memcached with spec.workload, which is immutable.
func TestEditsSetEveryField(t *testing.T) {
	t.Parallel()
	set, all := map[string]bool{".Workload": true}, map[string]bool{}
	for _, edit := range edits {
		var spec v1alpha1.MemcachedSpec
		if err := json.Unmarshal([]byte(edit), &spec); err != nil {
			t.Fatalf("%v: %s", err, edit)
		}
		visit(reflect.ValueOf(spec), "", set, all)
	}
	for path := range all {
		if !set[path] {
			t.Errorf("a walk must set every field of spec, but no edit sets %s", path)
		}
	}
	if len(all) < 60 {
		t.Errorf("spec has only %d fields", len(all))
	}
}

// visit adds the paths of the fields of a value, and of those that are set.
func visit(value reflect.Value, path string, set, all map[string]bool) {
	set[path] = set[path] || !value.IsZero()
	switch {
	case value.Kind() == reflect.Pointer && value.IsNil():
		value = reflect.Zero(value.Type().Elem())
	case value.Kind() == reflect.Pointer:
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct || !strings.HasSuffix(value.Type().PkgPath(), "webhook/memcached/v1alpha1") {
		all[path] = true
		return
	}
	for i := range value.NumField() {
		visit(value.Field(i), path+"."+value.Type().Field(i).Name, set, all)
	}
}
