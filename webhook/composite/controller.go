package composite

import (
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Controller is a composite controller: a kind of parent and its hooks.
type Controller struct {
	// Name is the first segment of the hooks' URLs: /memcached/sync.
	Name string
	// Parent is the only kind of parent that the hooks accept.
	Parent schema.GroupVersionKind

	Sync      Hook
	Finalize  Hook
	Customize Hook
}

// Hook is a hook of a controller, made by [Sync], [Finalize] or [Customize]. A controller does not have a hook with the zero
// value.
type Hook struct {
	// Children and Related are the groups of objects that the hook observes, as "Deployment.apps/v1".
	Children, Related []string

	// optional is the subset of Children that a CompositeController need not list.
	optional []string

	handle func(kind schema.GroupVersionKind, body io.Reader, now metav1.Time) (Response, error)
}

// IsZero reports whether the controller does not have the hook.
func (h Hook) IsZero() bool { return h.handle == nil }

// Handle handles the body of one request about a parent of the given kind at the given time.
//
// An error means that the request is refused and that nothing may change in the cluster. A [RequestError], [ParentError],
// [ReadError] or [TokenError] is the fault of the request, any other error is a defect of the hook. The response to a refused
// request contains the parent's name, if known.
//
// If the body is a [Waiter], a sync or finalize hook calls it before it reads the objects.
func (h Hook) Handle(kind schema.GroupVersionKind, body io.Reader, now metav1.Time) (Response, error) {
	return h.handle(kind, body, now)
}

// Waiter is a body whose objects can take much memory and time.
type Waiter interface {
	// Wait returns when the hook may read on, or an error. The namespace is that of the parent as JSON; requests of Metacontroller have it in their first
	// part, before spec, children and related objects.
	Wait(namespace string) error
}

// Response is the response to one request.
type Response struct {
	// Parent is the name of the request's parent, for logs.
	Parent types.NamespacedName
	// Body is the whole response as JSON.
	Body []byte
}

// Request is the observed state in a request: the parent P (a pointer to its API type), its children C and the related
// objects R, both structs of [Group] fields.
type Request[P, C, R any] struct {
	Parent   P
	Children C
	Related  R
	// Finalizing is true in the finalize hook only: the parent is being deleted.
	Finalizing bool
	// Nulls are the fields of the parent's spec that are null, such as spec.proxy; at most ten.
	Nulls []string
	// Now is the time of the request. It keeps rules about time pure functions.
	Now metav1.Time
}

// Desired is the desired state in a response: the parent's status S and every child. Metacontroller deletes a child that is
// observed but not desired.
type Desired[S any] struct {
	Status   S
	Children []runtime.Object
	// ResyncAfter is the time until the next sync; 0 requests none.
	ResyncAfter time.Duration
	// Finalized allows the parent's deletion. Only the finalize hook may set it.
	Finalized bool
}

// RelatedRule selects related objects. Metacontroller observes them and adds them to every sync request.
//
// For each event of an object, Metacontroller evaluates every rule of every parent, so their cost grows with the number of parents
// times the number of objects: see decision 16 in webhook/decisions. A parent therefore has few rules, and a rule names the
// namespace, and selects by a single label, or by names, which cost less.
//
// Names exclude the selectors, and Namespace excludes NamespaceSelector, which selects namespaces by their labels and needs hook
// version v2 and Metacontroller 4.15.
type RelatedRule struct {
	APIVersion        string                `json:"apiVersion"`
	Resource          string                `json:"resource"`
	LabelSelector     *metav1.LabelSelector `json:"labelSelector,omitempty"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	Namespace         string                `json:"namespace,omitempty"`
	Names             []string              `json:"names,omitempty"`
}

// RelatedPods returns a rule that selects pods by one label. Metacontroller does not send the pods of a workload as children,
// because the workload or its ReplicaSet owns them, not the parent. The rule need not be precise: the sync hook filters the pods
// by all labels.
func RelatedPods(namespace, label, value string) RelatedRule {
	return RelatedRule{
		APIVersion:    "v1",
		Resource:      "pods",
		Namespace:     namespace,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: value}},
	}
}
