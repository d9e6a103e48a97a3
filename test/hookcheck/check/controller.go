package check

import "fmt"

// Webhook is where a hook listens.
type Webhook struct{ URL, Path, Server string }

// Hooks returns the webhooks of a CompositeController.
func Hooks(controller map[string]any) map[string]Webhook {
	hooks := map[string]Webhook{}
	for name, hook := range object(at(controller, "spec", "hooks")) {
		if webhook := object(at(hook, "webhook")); webhook != nil {
			hooks[name] = Webhook{text(webhook, "url"), text(webhook, "path"), fmt.Sprint(webhook["service"])}
		}
	}
	return hooks
}

// Parents returns the objects that are parents of the CompositeController, and the other objects with a name.
func (s *Subject) Parents(controller map[string]any, objects []map[string]any) (parents, others []map[string]any, err error) {
	resource := at(controller, "spec", "parentResource")
	kind, err := s.CRDs.KindOf(text(resource, "apiVersion"), text(resource, "resource"))
	if err != nil {
		return nil, nil, fmt.Errorf("parentResource: %w", err)
	}
	for _, each := range objects {
		if text(each, "metadata", "name") == "" {
			continue // such as a Kustomization
		}
		if groupOf(each) == kind.Kind+"."+kind.GroupVersion().String() {
			parents = append(parents, each)
		} else {
			others = append(others, each)
		}
	}
	return parents, others, nil
}
