package render

import (
	"fmt"
	"strings"
)

// flatten returns the items of a list, or the document itself when it is not a list. A list is a v1 List,
// which kubectl get writes, or a list of one kind, which the API server returns, for example a MemcachedList.
func (d document) flatten() ([]document, error) {
	itemKind, isList := strings.CutSuffix(d.kind().Kind, "List")
	if !isList {
		return []document{d}, nil
	}
	if _, set := d.object["items"]; !set && itemKind != "" {
		return []document{d}, nil // a kind whose name ends with List
	}
	items, ok := d.object["items"].([]any)
	if !ok {
		return nil, d.errorOf(fmt.Errorf("items: a %s must have a list of objects", d.kind().Kind))
	}
	var found []document
	for i := range items {
		item, err := d.item(i, items[i])
		if err != nil {
			return nil, err
		}
		if itemKind != "" && item.object["kind"] == nil && item.object["apiVersion"] == nil {
			item.object["kind"], item.object["apiVersion"] = itemKind, d.object["apiVersion"]
		}
		objects, err := item.flatten()
		if err != nil {
			return nil, err
		}
		found = append(found, objects...)
	}
	return found, nil
}

func (d document) item(index int, value any) (document, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return document{}, d.errorOf(fmt.Errorf("items[%d]: must be an object", index))
	}
	return document{file: d.file, line: d.line, object: object}, nil
}
