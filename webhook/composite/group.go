package composite

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is what a group needs to know of an observed object.
type Object interface {
	GetNamespace() string
	GetName() string
}

// Group holds the observed objects of one kind, in the order of their namespaces and names.
//
// A struct of groups declares what a hook observes, each by the name that Metacontroller gives it:
//
//	type children struct {
//		Deployments composite.Group[object.Deployment] `json:"Deployment.apps/v1"`
//	}
//
// Kinds that are not declared are skipped unread. Metacontroller's own keys inside a group differ between hook versions
// (name, or namespace/name), so only the objects' metadata counts. Objects are for reading: they may share maps.
type Group[T Object] struct {
	sorted   []*T // pointers, for the number of objects is known at the end only, and growing a slice copies it
	observed bool
}

// GroupOf returns a group of these objects.
func GroupOf[T Object](objects ...T) Group[T] {
	group := Group[T]{observed: true}
	for _, object := range objects {
		group.sorted = append(group.sorted, &object)
	}
	group.sort()
	return group
}

// Len is the number of objects in the group.
func (g Group[T]) Len() int { return len(g.sorted) }

// All yields every object.
func (g Group[T]) All() iter.Seq[*T] { return slices.Values(g.sorted) }

// Get returns the object of that namespace and name, or nil.
func (g Group[T]) Get(namespace, name string) *T {
	i, found := slices.BinarySearchFunc(g.sorted, [2]string{namespace, name}, func(object *T, key [2]string) int {
		return cmp.Or(strings.Compare((*object).GetNamespace(), key[0]), strings.Compare((*object).GetName(), key[1]))
	})
	if !found {
		return nil
	}
	return g.sorted[i]
}

// UnmarshalJSONFrom reads the group from the map that Metacontroller sends. An object without a name and two objects of
// one name are refused: an observation that cannot be right must not decide what gets deleted.
func (g *Group[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	shared := sharedMapsPool.Get().(*sharedMaps)
	defer sharedMapsPool.Put(shared)
	shared.forget()
	share := json.WithUnmarshalers(shared.unmarshalers)
	for decoder.PeekKind() == jsontext.KindString {
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		if decoder.PeekKind() != jsontext.KindBeginObject {
			return notAnObject(decoder)
		}
		object := new(T)
		if err := json.UnmarshalDecode(decoder, object, share); err != nil {
			return err
		}
		if (*object).GetName() == "" {
			return refuse("%s: an object has no metadata.name", dotted(decoder.StackPointer()))
		}
		g.sorted = append(g.sorted, object)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	g.observed = true
	g.sort()
	return g.checkUnique(decoder)
}

func (g *Group[T]) checkUnique(decoder *jsontext.Decoder) error {
	for i := 1; i < len(g.sorted); i++ {
		if compareObjects(g.sorted[i-1], g.sorted[i]) == 0 {
			return refuse("%s: two objects are named %q", dotted(decoder.StackPointer()), (*g.sorted[i]).GetName())
		}
	}
	return nil
}

func (g *Group[T]) sort() {
	if !slices.IsSortedFunc(g.sorted, compareObjects[T]) {
		slices.SortFunc(g.sorted, compareObjects[T])
	}
}

func (g *Group[T]) isObserved() bool { return g.observed }

func (g *Group[T]) isOptional() bool { return false }

func (g *Group[T]) find(namespace, name string) any {
	if object := g.Get(namespace, name); object != nil {
		return object
	}
	return nil
}

func (g *Group[T]) objects() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for _, object := range g.sorted {
			if !yield(*object) {
				return
			}
		}
	}
}

// OptionalGroup is a [Group] that a request need not have. Among the children it is a kind that a cluster may not have:
// Metacontroller does not start a controller that lists such a kind, so not every CompositeController lists it. Among the
// related objects it is one for which the customize hook asks some parents only, or did not ask before an upgrade:
// Metacontroller caches related rules for up to 20 minutes.
type OptionalGroup[T Object] struct{ Group[T] }

// Listed reports whether the request has the group. A hook must not return a child of a kind that is not listed.
func (g OptionalGroup[T]) Listed() bool { return g.observed }

func (g *OptionalGroup[T]) isOptional() bool { return true }

func compareObjects[T Object](a, b *T) int {
	return cmp.Or(strings.Compare((*a).GetNamespace(), (*b).GetNamespace()), strings.Compare((*a).GetName(), (*b).GetName()))
}

// notAnObject refuses the value that comes next, which the protocol says is an object.
func notAnObject(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	return refuse("%s: must be an object, not %s", dotted(decoder.StackPointer()), kindName(token.Kind()))
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	}
	return kind.String()
}

// dotted writes a JSON pointer as people name fields: children.Deployment.apps/v1.
func dotted(pointer jsontext.Pointer) string {
	return strings.Join(slices.Collect(pointer.Tokens()), ".")
}

// group is what every [Group] and [OptionalGroup] can do, whatever its objects are.
type group interface {
	isObserved() bool
	isOptional() bool
	// find returns the object of that namespace and name as a pointer, or nil.
	find(namespace, name string) any
	objects() iter.Seq[Object]
}

// groupsOf yields the groups of S, a struct of groups, with their names.
func groupsOf[S any](groups *S) iter.Seq2[string, group] {
	return func(yield func(string, group) bool) {
		value := reflect.ValueOf(groups).Elem()
		for i := range value.NumField() {
			key, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			if !yield(key, value.Field(i).Addr().Interface().(group)) {
				return
			}
		}
	}
}

// groupKeys returns the names of the groups that S, a struct of groups, declares, and those among them that are optional.
// It panics when S is anything else, which the first call of any test shows. The decoder skips an unexported field and a
// field with the tag "-", so their groups would be missing in every request.
func groupKeys[S any]() (keys, optional []string) { return groupKeysOf(reflect.TypeFor[S]()) }

func groupKeysOf(groups reflect.Type) (keys, optional []string) {
	for field := range groups.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		declared, isGroup := reflect.New(field.Type).Interface().(group)
		if !isGroup || !field.IsExported() || key == "" || key == "-" {
			panic(fmt.Sprintf("composite: field %s of %v must be an exported Group with a json tag", field.Name, groups))
		}
		keys = append(keys, key)
		if declared.isOptional() {
			optional = append(optional, key)
		}
	}
	return keys, optional
}

// missingGroups returns the declared groups that the request did not have.
func missingGroups[S any](groups *S) []string {
	var missing []string
	for key, group := range groupsOf(groups) {
		if !group.isObserved() {
			missing = append(missing, key)
		}
	}
	return missing
}
