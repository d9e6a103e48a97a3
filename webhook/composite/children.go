package composite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/example/memcached-operator/webhook/text"
)

// Child returns the observed child with the kind, namespace and name of a desired child: a pointer to the element type of
// its [Group], or nil.
func (r *Request[P, C, R]) Child(desired runtime.Object) any {
	kind, object := groupKey(desired.GetObjectKind().GroupVersionKind()), desired.(metav1.Object)
	for key, group := range groupsOf(&r.Children) {
		if key == kind {
			return group.find(object.GetNamespace(), object.GetName())
		}
	}
	return nil
}

// Listed returns the desired children whose kinds the CompositeController lists. Metacontroller would never delete the others.
func (r *Request[P, C, R]) Listed(desired []runtime.Object) []runtime.Object {
	missing := missingGroups(&r.Children)
	return slices.DeleteFunc(desired, func(child runtime.Object) bool {
		return slices.Contains(missing, groupKey(child.GetObjectKind().GroupVersionKind()))
	})
}

// maxAppliedChildren is how many last applied configurations a response may have. A cache has up to twelve. With 80, five changes a second of invalid
// specs keep Metacontroller's ten workers busy, because it writes one child after the other.
//
// All together may have maxAppliedBytes: those of a cache have about 30 kB. Each may have maxAppliedValues values: with 32,000, thirty parents at the same
// time take 241 MiB.
const (
	maxAppliedChildren = 16

	maxAppliedBytes  = 1 << 20
	maxAppliedValues = 5_000
)

// ListedKinds returns the kinds of children that the CompositeController lists.
func (r *Request[P, C, R]) ListedKinds() sets.Set[string] {
	listed := sets.New[string]()
	for key, group := range groupsOf(&r.Children) {
		if kind, _, _ := strings.Cut(key, "."); group.Listed() {
			listed.Insert(kind)
		}
	}
	return listed
}

// LastApplied returns every observed child as Metacontroller applied it last. A response with these children changes nothing
// in the cluster. LastApplied returns an error if a child has no valid annotation with its last applied configuration.
//
// Anybody who may edit a child may write anything into its annotation. So the configurations stay text: parsed, a text like
// [{},{}] needs 30 times its size.
func (r *Request[P, C, R]) LastApplied() ([]runtime.Object, error) {
	parent := any(r.Parent).(metav1.Object)
	var children []runtime.Object
	size := 0
	for key, group := range groupsOf(&r.Children) {
		for i := range group.length() {
			object := group.at(i)
			child, err := lastApplied(key, object, parent)
			if err != nil {
				return nil, err
			}
			if size += escapedSize(child.Text); size > maxAppliedBytes || len(children) == maxAppliedChildren {
				return nil, fmt.Errorf("the last applied configurations are more than %d, or have more than %d bytes", maxAppliedChildren, maxAppliedBytes)
			}
			children = append(children, child)
		}
	}
	return children, nil
}

// escapedSize returns the number of bytes that a text has in a response: encoding/json writes each of five characters in six bytes.
func escapedSize(document []byte) int {
	size := len(document)
	for _, character := range document {
		if character == '<' || character == '>' || character == '&' {
			size += len(`\u003c`) - 1
		}
	}
	const separatorBytes = len("\u2028")
	return size + (6-separatorBytes)*(bytes.Count(document, []byte("\u2028"))+bytes.Count(document, []byte("\u2029")))
}

// appliedChild is a child as text. Of its metadata it has the name and the namespace only.
type appliedChild struct {
	metav1.PartialObjectMetadata
	Text jsontext.Value
}

func (c *appliedChild) MarshalJSON() ([]byte, error) { return c.Text, nil }

func lastApplied(key string, object Object, parent metav1.Object) (*appliedChild, error) {
	name := object.GetName()
	annotated, ok := object.(interface{ GetLastApplied() string })
	if !ok || annotated.GetLastApplied() == "" {
		return nil, fmt.Errorf("%s %s has no annotation metacontroller.k8s.io/last-applied-configuration", key, name)
	}
	applied := jsontext.Value(annotated.GetLastApplied())
	if countValues(applied) > maxAppliedValues || text.IsDeep(applied) {
		return nil, fmt.Errorf("the last applied configuration of %s %s has more than %d values or %d levels", key, name, maxAppliedValues, text.MaxDepth)
	}
	var last struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
			Labels    struct {
				UID *string `json:"controller-uid"`
			} `json:"labels"`
		} `json:"metadata"`
	}
	if err := jsonv2.Unmarshal(applied, &last); err != nil {
		return nil, fmt.Errorf("parsing the last applied configuration of %s %s: %w", key, name, err)
	}
	child := &appliedChild{Text: applied}
	child.APIVersion, child.Kind, child.Name = last.APIVersion, last.Kind, last.Metadata.Name
	child.Namespace = cmp.Or(last.Metadata.Namespace, parent.GetNamespace()) // as in a response
	if groupKey(child.GroupVersionKind()) != key || child.Name != name || child.Namespace != parent.GetNamespace() {
		return nil, fmt.Errorf("the last applied configuration of %s %s is that of %s %s", key, name, text.Value(child.Kind), text.Value(child.Name))
	}
	var err error
	if uid := last.Metadata.Labels.UID; uid != nil && *uid != string(parent.GetUID()) {
		// Metacontroller adds this label if it is missing, and refuses the UID of another parent, which an adopted child has.
		child.Text, err = removeMember(applied, "metadata", "labels", "controller-uid")
	}
	return child, err
}

// removeMember returns a valid object without the member at a path, which it must have. It cuts the text of the member: parsing and encoding 2,000
// labels of each of 67 children takes half a second.
func removeMember(object jsontext.Value, path ...string) (jsontext.Value, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true)) // lastApplied has found none
	for i, want := range path {
		if _, err := decoder.ReadToken(); err != nil { // the begin of the object
			return nil, err
		}
		for first := true; ; first = false {
			begin := decoder.InputOffset() // before the comma, if it is not the first member
			name, err := decoder.ReadToken()
			if err != nil {
				return nil, err
			}
			found := name.String() == want
			if found && i+1 < len(path) {
				break
			}
			if err := decoder.SkipValue(); err != nil {
				return nil, err
			}
			if found {
				return cut(object, begin, decoder.InputOffset(), first), nil
			}
		}
	}
	return nil, fmt.Errorf("no member %s", strings.Join(path, "."))
}

// cut returns an object without the bytes of a member. That of the first one does not begin with a comma.
func cut(object jsontext.Value, begin, end int64, first bool) jsontext.Value {
	rest := object[end:]
	if first {
		rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(","))
	}
	return slices.Concat(object[:begin], rest)
}

// ResyncPeriod is the time between two syncs of a parent if no event causes one: resyncPeriodSeconds in manifests/controllers.
const ResyncPeriod = 5 * time.Minute

// Keep returns the response for a parent with an invalid spec: the children as they were applied last, and a status with the
// cause. If a child's last applied configuration is unknown, Keep returns the cause as a [ParentError], which changes nothing
// in the cluster either.
//
// If the status is the one before, there is nothing to say, and Keep returns a [RetryError]. Otherwise a user could write configurations that
// the API server changes each time, and Metacontroller would apply them again and again.
func Keep[P, C, R, S any](request *Request[P, C, R], before, status S, cause error) (Desired[S], error) {
	children, err := request.LastApplied()
	if err != nil {
		return Desired[S]{}, &ParentError{Err: cause}
	}
	isSame, err := haveSameJSON(before, status)
	if isSame {
		return Desired[S]{}, &RetryError{Err: cause, After: ResyncPeriod}
	}
	return Desired[S]{Status: status, Children: children}, err
}

// haveSameJSON compares values as the API server stores them: times of the same second are the same.
func haveSameJSON(a, b any) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encoding the status: %w", err)
	}
	second, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("encoding the status: %w", err)
	}
	return bytes.Equal(first, second), nil
}
