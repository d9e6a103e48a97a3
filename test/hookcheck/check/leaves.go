package check

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Leaf is a value in an object, at a path without lists.
type Leaf struct {
	Path  []string
	Value any
}

// Pointer returns the path as JSON Patch has it.
func (l Leaf) Pointer() string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, name := range l.Path {
		b.WriteString("/" + escape.Replace(name))
	}
	return b.String()
}

// Leaves returns the values in an object that are no objects, in order. A list is a value.
func Leaves(value any, path ...string) (found []Leaf) {
	members, isObject := value.(map[string]any)
	if !isObject {
		return []Leaf{{path, value}}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		found = append(found, Leaves(members[name], append(slices.Clone(path), name)...)...)
	}
	return found
}

var number = regexp.MustCompile(`^[0-9]+`)

// Alternatives returns values to replace a value with. The API server may refuse some of them.
func Alternatives(value any) []any {
	switch value := value.(type) {
	case bool:
		return []any{!value}
	case float64:
		return []any{value + 1, value - 1}
	case int64:
		return []any{value + 1, value - 1}
	case string:
		changed := []any{value + "x"}
		if digits := number.FindString(value); digits != "" { // such as a quantity
			n, _ := strconv.Atoi(digits)
			changed = append(changed, strconv.Itoa(n+1)+value[len(digits):])
		}
		return changed
	}
	return nil
}
