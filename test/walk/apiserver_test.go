package walk

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/example/memcached-operator/test/internal/apiserver"
	"github.com/example/memcached-operator/webhook/observed"
)

// object is a stored child. It is replaced and never modified, because earlier observations refer to it.
type object struct {
	*unstructured.Unstructured
	raw []byte // its JSON
}

// key returns "Kind/name".
func (o *object) key() string { return keyIn(o.Unstructured) }

func keyIn(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }

// group returns Metacontroller's key of the kind, such as "Deployment.apps/v1".
func (o *object) group() string { return o.GetKind() + "." + o.GetAPIVersion() }

// owner returns the UID of the controller; "" for an orphan.
func (o *object) owner() types.UID {
	if controller := metav1.GetControllerOf(o); controller != nil {
		return controller.UID
	}
	return ""
}

func (o *object) number(path ...string) int64 {
	value, _, _ := unstructured.NestedInt64(o.Object, path...)
	return value
}

// apiServer stores the children. It is the same for all controllers.
type apiServer struct {
	children map[string]*object // by key
	version  int64
	writes   []string // what Metacontroller wrote since the last reset
	refused  string   // the kind of which the API server accepts no write
}

func (s *apiServer) nextVersion() string {
	s.version++
	return strconv.FormatInt(s.version, 10)
}

// put stores an object, with defaults, and with the system fields of the object that it replaces. It reports whether anything
// has changed.
func (s *apiServer) put(next *unstructured.Unstructured, now time.Time) bool {
	key := keyIn(next)
	before := s.children[key]
	next = stored(next)
	if before == nil {
		next.SetUID(types.UID("uid-" + s.nextVersion()))
		next.SetGeneration(1)
		next.SetCreationTimestamp(metav1.NewTime(now))
	} else {
		if reflect.DeepEqual(before.Object, next.Object) {
			return false
		}
		if !reflect.DeepEqual(before.Object["spec"], next.Object["spec"]) {
			next.SetGeneration(before.GetGeneration() + 1)
		}
	}
	s.store(next)
	return true
}

// store replaces an object.
func (s *apiServer) store(next *unstructured.Unstructured) {
	next.SetResourceVersion(s.nextVersion())
	raw, err := json.Marshal(next.Object)
	if err != nil {
		panic(err)
	}
	s.children[keyIn(next)] = &object{next, raw}
}

// edit changes a stored object as another client does.
func (s *apiServer) edit(key string, now time.Time, change func(o *unstructured.Unstructured)) {
	if before := s.children[key]; before != nil {
		next := before.DeepCopy()
		change(next)
		s.put(next, now)
	}
}

// keys returns the sorted keys of all children.
func (s *apiServer) keys() []string { return slices.Sorted(maps.Keys(s.children)) }

// create stores a child that Metacontroller creates. It fails if the name is taken, which Metacontroller ignores.
func (s *apiServer) create(child *unstructured.Unstructured, now time.Time) error {
	if child.GetKind() == s.refused {
		return fmt.Errorf("%s is refused", s.refused)
	}
	if key := keyIn(child); s.children[key] == nil {
		s.put(child, now)
		s.writes = append(s.writes, "create "+key)
	}
	return nil
}

// update stores a child that Metacontroller has merged with the observed one. A conflict is ignored, as Metacontroller does.
func (s *apiServer) update(known *object, next *unstructured.Unstructured, now time.Time) error {
	key := known.key()
	switch current := s.children[key]; {
	case current == nil || current.GetResourceVersion() != known.GetResourceVersion():
		s.writes = append(s.writes, "conflict "+key)
		return nil
	case known.GetKind() == s.refused:
		return fmt.Errorf("%s is refused", s.refused)
	}
	kind := kindOfUpdate(known.Unstructured, next)
	if s.put(next, now) {
		s.writes = append(s.writes, kind+" "+key)
	}
	return nil
}

// kindOfUpdate returns "annotate" if only the annotation of Metacontroller changes, "restore" if everything else changes, which takes back what others
// have changed since the last apply, and "update" otherwise.
func kindOfUpdate(before, after *unstructured.Unstructured) string {
	text := before.GetAnnotations()[observed.LastAppliedAnnotation]
	same := after.DeepCopy()
	same.SetAnnotations(withEntry(same.GetAnnotations(), observed.LastAppliedAnnotation, text))
	switch {
	case text != "" && reflect.DeepEqual(before.Object, same.Object):
		return "annotate"
	case text != "" && reflect.DeepEqual(after.Object, same.Object):
		return "restore"
	}
	return "update"
}

func withEntry(entries map[string]string, key, value string) map[string]string {
	if entries == nil {
		entries = map[string]string{}
	}
	entries[key] = value
	return entries
}

// remove deletes a child that Metacontroller observed. Its UID is a precondition.
func (s *apiServer) remove(known *object) error {
	key := known.key()
	current := s.children[key]
	if current == nil {
		return nil
	}
	if current.GetUID() != known.GetUID() {
		return fmt.Errorf("%s has another UID", key)
	}
	delete(s.children, key)
	s.writes = append(s.writes, "delete "+key)
	return nil
}

// violation is what a walk panics with when an oracle finds a defect.
type violation struct{ text string }

func fail(format string, args ...any) { panic(violation{fmt.Sprintf(format, args...)}) }

// must stops the walk when an invariant does not hold.
func must(holds bool, invariant string, args ...any) {
	if !holds {
		fail("violates the invariant that "+invariant, args...)
	}
}

// stored returns a child as the API server stores it.
func stored(child *unstructured.Unstructured) *unstructured.Unstructured {
	result, err := apiserver.Stored(child)
	if err != nil {
		panic(err)
	}
	return result
}

func decodeObject(text []byte) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("decoding %.200s: %v", text, err))
	}
	return object
}
