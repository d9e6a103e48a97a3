package composite

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
)

// anyGroup is the interface of every [Group], whatever the type of its objects is.
type anyGroup interface {
	Listed() bool
	setListed()
	// find returns a pointer to the object with the namespace and name, or nil.
	find(namespace, name string) any
	// length and at iterate over the objects. An iterator behind an interface would be an allocation for each step.
	length() int
	at(i int) Object
}

// groupsOf returns an iterator over the keys and groups of S, a struct of groups.
func groupsOf[S any](groups *S) iter.Seq2[string, anyGroup] {
	return func(yield func(string, anyGroup) bool) {
		value := reflect.ValueOf(groups).Elem()
		for i := range value.NumField() {
			key, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			if !yield(key, value.Field(i).Addr().Interface().(anyGroup)) {
				return
			}
		}
	}
}

// groupKeys returns the keys of the groups in S, a struct of groups, and the keys of the optional ones.
// It panics if S has any other field, which the first call in any test shows. The decoder skips an unexported field and a
// field with the tag "-", so their groups would be missing in every request.
func groupKeys[S any]() (keys, optional []string) { return groupKeysOf(reflect.TypeFor[S]()) }

func groupKeysOf(groups reflect.Type) (keys, optional []string) {
	for field := range groups.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		_, isGroup := reflect.New(field.Type).Interface().(anyGroup)
		if !isGroup || !field.IsExported() || key == "" || key == "-" {
			panic(fmt.Sprintf("composite: field %s of %v must be an exported Group with a json tag", field.Name, groups))
		}
		keys = append(keys, key)
		if field.Tag.Get("composite") == "optional" {
			optional = append(optional, key)
		}
	}
	return keys, optional
}

// missingGroups returns the keys of the declared groups that the request does not have.
func missingGroups[S any](groups *S) []string {
	var missing []string
	for key, group := range groupsOf(groups) {
		if !group.Listed() {
			missing = append(missing, key)
		}
	}
	return missing
}

// listAll marks all groups as listed.
func listAll[S any](groups *S) {
	for _, group := range groupsOf(groups) {
		group.setListed()
	}
}
