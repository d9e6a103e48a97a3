package composite

import (
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Controller is one composite controller: a kind of parent and the hooks that answer for it.
type Controller struct {
	// Name is the first segment of the hooks' URLs: /memcached/sync.
	Name string
	// Parent is the only kind of parent that the hooks accept.
	Parent schema.GroupVersionKind

	Sync      Hook
	Finalize  Hook
	Customize Hook
}

// Handler answers one request body of Metacontroller at the given time.
//
// An error means that the request was refused and that nothing may change: a [RequestError], a [ParentError], a
// [ReadError], a [TokenError], or else a defect of the hook. The response still names the parent, if it is known.
type Handler func(body io.Reader, now metav1.Time) (Response, error)

// Response is the answer to one request.
type Response struct {
	// Parent names the object that was asked about, for logs.
	Parent types.NamespacedName
	// Body is the whole answer as JSON.
	Body []byte
}

// Handlers returns the controller's hooks under the last segment of their URLs: sync, finalize, customize.
func (c Controller) Handlers() map[string]Handler {
	handlers := map[string]Handler{}
	for name, hook := range map[string]Hook{"sync": c.Sync, "finalize": c.Finalize, "customize": c.Customize} {
		if hook.handle == nil {
			continue
		}
		handlers[name] = func(body io.Reader, now metav1.Time) (Response, error) {
			return hook.handle(c.Parent, body, now)
		}
	}
	return handlers
}

// Hook is one hook of a controller, made by [Sync], [Finalize] or [Customize]. The zero Hook is not served.
type Hook struct {
	// Children and Related are the groups of objects that the hook observes, as "Deployment.apps/v1".
	Children, Related []string
	// Optional are those of Children that a CompositeController need not list, OptionalRelated those of Related that a
	// request need not have.
	Optional, OptionalRelated []string

	handle func(kind schema.GroupVersionKind, body io.Reader, now metav1.Time) (Response, error)
}

// Observed is what Metacontroller saw when it called: the parent P (a pointer to its API type), its children C and the
// related objects R, both structs of [Group] fields.
type Observed[P, C, R any] struct {
	Parent   P
	Children C
	Related  R
	// Finalizing is true in the finalize hook only: the parent is going, and so should its children.
	Finalizing bool
	// Now is the time of the call, so that a rule about time stays a pure function.
	Now metav1.Time
}

// Desired is what should be: the parent's status S and every child. A child that is observed but not desired is deleted.
type Desired[S any] struct {
	Status   S
	Children []runtime.Object
	// ResyncAfter asks for another call after that time; 0 asks for none.
	ResyncAfter time.Duration
	// Finalized lets the parent go; only the finalize hook may set it.
	Finalized bool
}

// RelatedRule selects related objects, which Metacontroller then observes and sends along with every sync.
type RelatedRule struct {
	APIVersion    string                `json:"apiVersion"`
	Resource      string                `json:"resource"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	Namespace     string                `json:"namespace,omitempty"`
	Names         []string              `json:"names,omitempty"`
}

// RelatedObject selects the object of one name.
func RelatedObject(apiVersion, resource, namespace, name string) RelatedRule {
	return RelatedRule{APIVersion: apiVersion, Resource: resource, Namespace: namespace, Names: []string{name}}
}

// RelatedPods selects the pods of a workload. They belong to its ReplicaSet and not to the parent, so Metacontroller does
// not send them as children.
func RelatedPods(namespace string, labels map[string]string) RelatedRule {
	return RelatedRule{
		APIVersion:    "v1",
		Resource:      "pods",
		Namespace:     namespace,
		LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
	}
}
