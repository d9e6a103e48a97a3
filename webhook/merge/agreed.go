package merge

// Agreed returns the part of an observed object that was applied last, with the observed values. An apply of it changes nothing: it neither sets nor
// removes a field or an item. There are two exceptions. Images have the values that were applied: a policy of the cluster can give them another registry
// in each apply, and what was applied tells whether pods are current. And an apply makes items of a list equal that have the same key.
func Agreed(observed, last map[string]any) map[string]any {
	agreed := map[string]any{}
	for key, applied := range last {
		if value, found := observed[key]; found {
			agreed[key] = agreedValue(key, value, applied)
		}
	}
	return agreed
}

func agreedValue(key string, observed, last any) any {
	switch last := last.(type) {
	case map[string]any:
		if observed, ok := observed.(map[string]any); ok {
			return Agreed(observed, last)
		}
	case []any:
		if observed, ok := observed.([]any); ok {
			return agreedItems(observed, last)
		}
	case string:
		if _, ok := observed.(string); ok && key == "image" {
			return last
		}
	}
	return observed
}

// agreedItems returns the items that were applied last, if an apply merges the lists item by item. Otherwise it replaces the list, so all observed items
// are needed as they are: a mixture could be a NetworkPolicy without a selector, which allows everything.
func agreedItems(observed, last []any) []any {
	key := ListKey(observed, last)
	if key == "" || hasEqualKeys(key, observed) || hasEqualKeys(key, last) {
		return observed
	}
	applied := byKey(key, last)
	agreed := []any{}
	for _, item := range observed {
		if before, found := applied[keyOf(key, item)]; found {
			agreed = append(agreed, agreedValue("", item, before))
		}
	}
	return agreed
}

func hasEqualKeys(key string, list []any) bool {
	return len(byKey(key, list)) < len(list)
}
