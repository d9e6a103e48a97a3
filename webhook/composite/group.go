package composite

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/webhook/text"
)

// Object is an observed object.
type Object interface {
	GetNamespace() string
	GetName() string
}

// Controlled is an observed object with its controller: the name and the UID of the owner that manages it; both are empty if it has none.
type Controlled interface {
	GetController() (name string, uid types.UID)
}

// Group holds the observed objects of one kind, sorted by namespace and name.
//
// A struct of groups declares what a hook observes. The tag of each field is Metacontroller's key of the group:
//
//	type children struct {
//		Deployments composite.Group[observed.Workload] `json:"Deployment.apps/v1"`
//	}
//
// A request must have the group of each field, unless it is a kind of child whose tag contains composite:"optional". A
// CompositeController need not list such a kind: Metacontroller does not start a controller that lists a kind which the cluster
// does not have, and not every user wants every kind of child.
//
// Kinds that are not declared are skipped. Metacontroller's keys of the objects in a group differ between hook versions
// (name, or namespace/name), so a Group reads the objects' metadata instead, and refuses an object with another key.
type Group[T Object] struct {
	sorted []*T // pointers, because a growing slice of values would copy every object
	listed bool
}

// GroupOf returns a group of these objects.
func GroupOf[T Object](objects ...T) Group[T] {
	group := Group[T]{listed: true}
	for _, object := range objects {
		group.sorted = append(group.sorted, &object)
	}
	group.sort()
	return group
}

// Len returns the number of objects in the group.
func (g Group[T]) Len() int { return len(g.sorted) }

// All returns an iterator over all objects.
func (g Group[T]) All() iter.Seq[*T] { return slices.Values(g.sorted) }

// Get returns the object with the namespace and name, or nil.
func (g Group[T]) Get(namespace, name string) *T {
	i, found := slices.BinarySearchFunc(g.sorted, [2]string{namespace, name}, func(object *T, key [2]string) int {
		return cmp.Or(strings.Compare((*object).GetNamespace(), key[0]), strings.Compare((*object).GetName(), key[1]))
	})
	if !found {
		return nil
	}
	return g.sorted[i]
}

// maxChildren is the number of children of one kind that a parent may have, several times as many as any parent needs. Metacontroller deletes those that
// are not desired one after the other. A user can make hundreds of objects children of a parent, which would keep one of ten workers for seconds.
const maxChildren = 16

var errManyChildren = &ParentError{Err: fmt.Errorf("more than %d objects of one kind have this resource as their controller: delete those that it does not need", maxChildren)}

// UnmarshalJSONFrom reads the group from a map of objects. It refuses too many children, an object without a name or with another key, and two objects
// with the same name: an impossible observed state must not decide which children are deleted.
func (g *Group[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if err := checkObject(decoder, g.Listed()); err != nil {
		return err
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	var key []byte // reused, because there are thousands of objects
	for decoder.PeekKind() == jsontext.KindString {
		quoted, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		if key, err = jsontext.AppendUnquote(key[:0], quoted); err != nil {
			return err
		}
		if decoder.PeekKind() != jsontext.KindBeginObject {
			return notAnObject(decoder)
		}
		if len(g.sorted) == maxChildren && strings.HasPrefix(string(decoder.StackPointer()), "/children/") {
			return errManyChildren
		}
		object := new(T)
		if err := jsonv2.UnmarshalDecode(decoder, object); err != nil {
			return err
		}
		if (*object).GetName() == "" {
			return refuse("%s: an object has no metadata.name", dotted(decoder.StackPointer()))
		}
		if !isKey(key, (*object).GetNamespace(), (*object).GetName()) {
			return refuse("%s: the object has the name %q", dotted(decoder.StackPointer()), text.Value((*object).GetName()))
		}
		g.sorted = append(g.sorted, object)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	g.listed = true
	g.sort()
	return g.checkUnique(decoder)
}

// isKey reports whether Metacontroller uses the key for an object: the name in hook version v1, and the namespace and the name in v2.
func isKey(key []byte, namespace, name string) bool {
	if string(key) == name {
		return true
	}
	slash := len(key) - len(name) - 1
	return slash >= 0 && string(key[:slash]) == namespace && key[slash] == '/' && string(key[slash+1:]) == name
}

func (g *Group[T]) checkUnique(decoder *jsontext.Decoder) error {
	for i := 1; i < len(g.sorted); i++ {
		if compareObjects(g.sorted[i-1], g.sorted[i]) == 0 {
			return refuse("%s: two objects have the name %q", dotted(decoder.StackPointer()), text.Value((*g.sorted[i]).GetName()))
		}
	}
	return nil
}

func (g *Group[T]) sort() {
	if !slices.IsSortedFunc(g.sorted, compareObjects[T]) {
		slices.SortFunc(g.sorted, compareObjects[T])
	}
}

// Listed reports whether the request has the group. A hook must not return a child of a kind that is not listed, because
// Metacontroller would never delete it.
func (g Group[T]) Listed() bool { return g.listed }

func (g *Group[T]) setListed() { g.listed = true }

func (g *Group[T]) find(namespace, name string) any {
	if object := g.Get(namespace, name); object != nil {
		return object
	}
	return nil
}

func (g *Group[T]) length() int { return len(g.sorted) }

func (g *Group[T]) at(i int) Object { return any(g.sorted[i]).(Object) } // a pointer has the methods of its value

func compareObjects[T Object](a, b *T) int {
	return cmp.Or(strings.Compare((*a).GetNamespace(), (*b).GetNamespace()), strings.Compare((*a).GetName(), (*b).GetName()))
}

// checkObject returns an error if the next value is not an object, or if the request has had it before.
func checkObject(decoder *jsontext.Decoder, present bool) error {
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return notAnObject(decoder)
	}
	if present {
		return refuse("%s: the request has it twice", dotted(decoder.StackPointer()))
	}
	return nil
}

// notAnObject returns an error about the next value, which must be an object.
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

// dotted returns a JSON pointer in the notation of field paths: children.Deployment.apps/v1.
func dotted(pointer jsontext.Pointer) string {
	return text.Value(strings.Join(slices.Collect(pointer.Tokens()), "."))
}
