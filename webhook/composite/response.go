package composite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type syncResponse[S any] struct {
	Status             S                `json:"status"`
	Children           []runtime.Object `json:"children"`
	ResyncAfterSeconds float64          `json:"resyncAfterSeconds,omitempty"`
	Finalized          bool             `json:"finalized,omitempty"`
}

type customizeResponse struct {
	RelatedResources []RelatedRule `json:"relatedResources"`
}

// encodeDesired checks and encodes a response. Metacontroller does not check responses: a nil child crashes it, it never
// deletes a child of a kind that it does not watch, and it silently applies the last of two children with the same name.
//
// encodeDesired uses encoding/json because the Kubernetes API types rely on that package's meaning of omitempty.
func encodeDesired[S any](desired Desired[S], parent metav1.Object, kinds []string, finalizing bool) ([]byte, error) {
	if desired.Finalized && !finalizing {
		return nil, errors.New("only a finalize hook may set finalized")
	}
	if desired.ResyncAfter < 0 {
		return nil, fmt.Errorf("resync after %s is negative", desired.ResyncAfter)
	}
	if err := checkChildren(desired.Children, parent.GetNamespace(), kinds); err != nil {
		return nil, err
	}
	body, err := json.Marshal(syncResponse[S]{
		Status:             desired.Status,
		Children:           append([]runtime.Object{}, desired.Children...), // never null
		ResyncAfterSeconds: desired.ResyncAfter.Seconds(),
		Finalized:          desired.Finalized,
	})
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(body, []byte(`{"status":{`)) {
		return nil, fmt.Errorf("status must be an object: the response begins with %.20s", body)
	}
	return body, nil
}

func checkChildren(children []runtime.Object, namespace string, kinds []string) error {
	seen := map[[2]string]bool{}
	for i, child := range children {
		if child == nil || reflect.ValueOf(child).IsNil() {
			return fmt.Errorf("child %d is nil", i)
		}
		object, err := meta.Accessor(child)
		if err != nil {
			return fmt.Errorf("child %d: %w", i, err)
		}
		kind := groupKey(child.GetObjectKind().GroupVersionKind())
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("child %d is a %q, which the hook does not observe", i, kind)
		}
		if object.GetName() == "" {
			return fmt.Errorf("child %d, a %s, has no name", i, kind)
		}
		if object.GetNamespace() != "" && object.GetNamespace() != namespace {
			return fmt.Errorf("%s %s is in namespace %s, but its parent is in %s", kind, object.GetName(), object.GetNamespace(), namespace)
		}
		if seen[[2]string{kind, object.GetName()}] {
			return fmt.Errorf("two children have the kind and name %s %s", kind, object.GetName())
		}
		seen[[2]string{kind, object.GetName()}] = true
	}
	return nil
}

// groupKey returns Metacontroller's key of a kind: Pod.v1, Deployment.apps/v1.
func groupKey(kind schema.GroupVersionKind) string {
	return kind.Kind + "." + kind.GroupVersion().String()
}

// encodeRelated encodes the rules. It refuses a rule that would select all objects, and rules that Metacontroller refuses at each sync.
func encodeRelated(rules []RelatedRule) ([]byte, error) {
	for i, rule := range rules {
		switch {
		case rule.APIVersion == "" || rule.Resource == "":
			return nil, fmt.Errorf("related rule %d has no resource", i)
		case len(rule.Names) > 0 && (rule.LabelSelector != nil || rule.NamespaceSelector != nil):
			return nil, fmt.Errorf("related rule %d has both names and a selector", i)
		case rule.Namespace != "" && rule.NamespaceSelector != nil:
			return nil, fmt.Errorf("related rule %d has both a namespace and a namespaceSelector", i)
		case len(rule.Names) == 0 && isEmpty(rule.LabelSelector) && isEmpty(rule.NamespaceSelector):
			return nil, fmt.Errorf("related rule %d selects all %s", i, rule.Resource)
		}
	}
	return json.Marshal(customizeResponse{RelatedResources: append([]RelatedRule{}, rules...)})
}

func isEmpty(selector *metav1.LabelSelector) bool {
	return selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0
}
