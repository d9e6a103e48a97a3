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
	objects  []*T // pointers, for the number of objects is known at the end only, and growing a slice copies it
	observed bool
}

// GroupOf returns a group of these objects.
func GroupOf[T Object](objects ...T) Group[T] {
	group := Group[T]{observed: true}
	for _, object := range objects {
		group.objects = append(group.objects, &object)
	}
	group.sort()
	return group
}

// Len is the number of objects in the group.
func (g Group[T]) Len() int { return len(g.objects) }

// All yields every object.
func (g Group[T]) All() iter.Seq[*T] { return slices.Values(g.objects) }

// Get returns the object of that namespace and name, or nil.
func (g Group[T]) Get(namespace, name string) *T {
	i, found := slices.BinarySearchFunc(g.objects, [2]string{namespace, name}, func(object *T, key [2]string) int {
		return cmp.Or(strings.Compare((*object).GetNamespace(), key[0]), strings.Compare((*object).GetName(), key[1]))
	})
	if !found {
		return nil
	}
	return g.objects[i]
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
		g.objects = append(g.objects, object)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	g.observed = true
	g.sort()
	return g.checkUnique(decoder)
}

func (g *Group[T]) checkUnique(decoder *jsontext.Decoder) error {
	for i := 1; i < len(g.objects); i++ {
		if compareObjects(g.objects[i-1], g.objects[i]) == 0 {
			return refuse("%s: two objects are named %q", dotted(decoder.StackPointer()), (*g.objects[i]).GetName())
		}
	}
	return nil
}

func (g *Group[T]) sort() {
	if !slices.IsSortedFunc(g.objects, compareObjects[T]) {
		slices.SortFunc(g.objects, compareObjects[T])
	}
}

func (g *Group[T]) isObserved() bool { return g.observed }

// OptionalGroup is a [Group] of a kind that a cluster may not have. Metacontroller does not start a controller that lists
// such a kind, so not every CompositeController lists it, and only one that does observes it.
type OptionalGroup[T Object] struct{ Group[T] }

// Listed is true where the CompositeController lists the kind. Otherwise the hook must not answer with a child of it.
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

// groupKeys returns the names of the groups that S, a struct of groups, declares, and those among them that are optional.
// It panics when S is anything else, which the first call of any test shows.
func groupKeys[S any]() (keys, optional []string) {
	for field := range reflect.TypeFor[S]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		group := reflect.New(field.Type).Interface()
		if _, isGroup := group.(interface{ isObserved() bool }); !isGroup || key == "" {
			panic(fmt.Sprintf("composite: field %s of %v must be a Group with a json tag", field.Name, reflect.TypeFor[S]()))
		}
		keys = append(keys, key)
		if _, isOptional := group.(interface{ isOptional() bool }); isOptional {
			optional = append(optional, key)
		}
	}
	return keys, optional
}

// missingGroups returns the declared groups that the request did not have.
func missingGroups[S any](groups *S, keys []string) []string {
	var missing []string
	value := reflect.ValueOf(groups).Elem()
	for i, key := range keys {
		if !value.Field(i).Addr().Interface().(interface{ isObserved() bool }).isObserved() {
			missing = append(missing, key)
		}
	}
	return missing
}
