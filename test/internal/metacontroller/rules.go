package metacontroller

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Rule is a rule of a customize response.
type Rule struct {
	APIVersion        string                `json:"apiVersion"`
	Resource          string                `json:"resource"`
	Namespace         string                `json:"namespace"`
	Names             []string              `json:"names"`
	LabelSelector     *metav1.LabelSelector `json:"labelSelector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
}

// Scope is what decides, besides a rule, which objects Metacontroller relates to a parent.
type Scope struct {
	V2        bool   // the version of the customize hook
	Namespace string // of the parent; "" if it has none
	Cluster   bool   // whether the related kind has no namespace
}

// Object is a related object.
type Object interface {
	GetName() string
	GetNamespace() string
	GetLabels() map[string]string
}

// confined reports whether Metacontroller relates only objects in the namespace of the parent.
func (s Scope) confined() bool { return !s.V2 && s.Namespace != "" && !s.Cluster }

// Check returns why Metacontroller fails each sync because of the rule.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/controller/common/customize/manager.go
func (r Rule) Check(in Scope) error {
	_, err := metav1.LabelSelectorAsSelector(r.LabelSelector)
	_, errOfNamespaces := metav1.LabelSelectorAsSelector(r.NamespaceSelector)
	return errors.Join(r.conflict(in), err, errOfNamespaces)
}

// conflict is Check without the syntax of the selectors.
func (r Rule) conflict(in Scope) error {
	switch selectsNamespaces := r.NamespaceSelector != nil; {
	case len(r.Names) > 0 && (r.LabelSelector != nil || selectsNamespaces):
		return errors.New("has both names and a selector, which Metacontroller refuses")
	case r.Namespace != "" && selectsNamespaces:
		return errors.New("has both namespace and namespaceSelector, which Metacontroller refuses")
	case selectsNamespaces && in.confined():
		return errors.New("has a namespaceSelector, which needs version v2")
	case selectsNamespaces && in.Cluster:
		return fmt.Errorf("has a namespaceSelector, but %s have no namespace", r.Resource)
	case in.confined() && r.Namespace != "" && r.Namespace != in.Namespace:
		return fmt.Errorf("selects objects of the namespace %s, which needs version v2", r.Namespace)
	}
	return nil
}

// Selects reports whether Metacontroller relates an object of the kind of the rule. The labels of namespaces are needed for a
// namespaceSelector.
func (r Rule) Selects(in Scope, object Object, namespaces map[string]labels.Set) bool {
	if r.conflict(in) != nil {
		return false
	}
	namespace := object.GetNamespace()
	if !in.Cluster && r.Namespace != "" && namespace != r.Namespace {
		return false
	}
	if in.confined() && len(r.Names) == 0 && namespace != in.Namespace { // see [Sent] for names
		return false
	}
	if r.NamespaceSelector != nil {
		set, exists := namespaces[namespace]
		return exists && matches(r.NamespaceSelector, set) && matches(r.LabelSelector, object.GetLabels())
	}
	return (len(r.Names) == 0 || slices.Contains(r.Names, object.GetName())) && matches(r.LabelSelector, object.GetLabels())
}

// matches reports whether a selector matches labels. No selector matches all.
func matches(selector *metav1.LabelSelector, set labels.Set) bool {
	if selector == nil {
		return true
	}
	compiled, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && compiled.Matches(set)
}

// Key returns the key of an observed object in its group, for a hook of a version and a parent in a namespace.
//
// https://github.com/metacontroller/metacontroller/blob/v4.17.2/pkg/controller/common/api
func Key(v2 bool, parentNamespace string, object Object) string {
	if object.GetNamespace() == "" || !v2 && parentNamespace != "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}

// Sent reports whether Metacontroller sends a related object to the sync hook. The version is that of the sync hook.
func Sent(v2 bool, parentNamespace string, object Object) bool {
	return v2 || parentNamespace == "" || object.GetNamespace() == parentNamespace
}
