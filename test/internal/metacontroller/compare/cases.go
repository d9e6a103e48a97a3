package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/example/memcached-operator/test/internal/metacontroller"
)

// apply is an update of a child.
type apply struct{ Observed, Desired map[string]any }

// model returns the child that the model writes, as JSON.
func (a apply) model() string {
	after := metacontroller.Updated(&unstructured.Unstructured{Object: clone(a.Observed)}, &unstructured.Unstructured{Object: clone(a.Desired)})
	return string(encode(after.Object))
}

// randomApply returns an observed child, which was applied before and changed since, and another desired one.
func randomApply(r *rand.Rand) apply {
	child := func() map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "labels": map[string]any{"l": pick(r, "1", "2")}},
			"spec": value(r, 3), "status": value(r, 1)}
	}
	observed, last, desired := child(), child(), child()
	if r.IntN(3) == 0 {
		desired = clone(observed) // an echo
	}
	metadata := observed["metadata"].(map[string]any)
	metadata["resourceVersion"], metadata["uid"] = "7", "u"
	if r.IntN(4) > 0 {
		(&unstructured.Unstructured{Object: observed}).SetAnnotations(map[string]string{"metacontroller.k8s.io/last-applied-configuration": string(encode(last))})
	}
	if r.IntN(3) == 0 {
		desired["metadata"].(map[string]any)["annotations"] = map[string]any{"metacontroller.k8s.io/last-applied-configuration": "{}", "b": "c"}
	}
	return apply{observed, desired}
}

// value returns a random value with lists of objects, some with keys by which Metacontroller merges.
func value(r *rand.Rand, depth int) any {
	if depth == 0 || r.IntN(6) == 0 {
		return pick[any](r, "x", "y", 1.0, 2.0, true, nil)
	}
	if r.IntN(2) == 0 {
		object := map[string]any{}
		for range r.IntN(4) {
			object[pick(r, "name", "port", "a", "b", "path")] = value(r, depth-1)
		}
		return object
	}
	list, keyed := []any{}, r.IntN(3) > 0
	for range r.IntN(4) {
		item := value(r, depth-1)
		if object, isObject := item.(map[string]any); isObject && keyed {
			object[pick(r, "name", "port")] = pick[any](r, "x", "y", 53.0, 80.0)
		}
		list = append(list, item)
	}
	return list
}

// ruleCase is a rule of a parent. The two hooks may have different versions.
type ruleCase struct {
	V2, SyncV2 bool
	Namespace  string
	Rule       map[string]any
}

// model returns the sorted keys of the objects that the sync hook gets, or "error".
func (c ruleCase) model(objects []map[string]any) string {
	var rule metacontroller.Rule
	if err := json.Unmarshal(encode(c.Rule), &rule); err != nil {
		panic(err)
	}
	scope := metacontroller.Scope{V2: c.V2, Namespace: c.Namespace, Cluster: rule.Resource != "configmaps"}
	if rule.Check(scope) != nil {
		return "error"
	}
	kind := map[string]string{"configmaps": "ConfigMap", "namespaces": "Namespace", "nodes": "Node"}[rule.Resource]
	namespaces, keys := map[string]labels.Set{}, map[string]bool{}
	for _, each := range objects {
		if o := (&unstructured.Unstructured{Object: each}); o.GetKind() == "Namespace" {
			namespaces[o.GetName()] = o.GetLabels()
		}
	}
	for _, each := range objects {
		o := &unstructured.Unstructured{Object: each}
		if o.GetKind() == kind && metacontroller.Sent(c.SyncV2, c.Namespace, o) && rule.Selects(scope, o, namespaces) {
			keys[metacontroller.Key(c.SyncV2, c.Namespace, o)] = true
		}
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(keys)))
}

func randomRule(r *rand.Rand) ruleCase {
	rule := map[string]any{"apiVersion": "v1", "resource": pick(r, "configmaps", "configmaps", "nodes", "namespaces")}
	selectors := []any{map[string]any{}, map[string]any{"matchLabels": map[string]any{"l": "1"}}, nil, metav1.LabelSelector{MatchLabels: map[string]string{"l": "2"}},
		map[string]any{"matchExpressions": []any{map[string]any{"key": "l", "operator": pick(r, "In", "Exists", "Wrong"), "values": []any{"1"}}}}}
	for _, name := range []string{"labelSelector", "namespaceSelector", "namespace", "names"} {
		if r.IntN(3) > 0 {
			continue
		}
		switch name {
		case "namespace":
			rule[name] = pick(r, "a", "b", "")
		case "names":
			rule[name] = pick(r, []any{"x"}, []any{}, []any{"x", "n1", "a"})
		default:
			rule[name] = pick(r, selectors...)
		}
	}
	return ruleCase{V2: r.IntN(2) == 0, SyncV2: r.IntN(2) == 0, Namespace: pick(r, "a", "b", ""), Rule: rule}
}

// objects returns the objects of the cluster.
func objects() (all []map[string]any) {
	add := func(kind, namespace, name, label string) {
		metadata := map[string]any{"name": name, "labels": map[string]any{"l": label}}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		all = append(all, map[string]any{"apiVersion": "v1", "kind": kind, "metadata": metadata})
	}
	for i, namespace := range []string{"a", "b", "c"} {
		add("Namespace", "", namespace, strconv.Itoa(i%2+1))
		add("ConfigMap", namespace, "x", "1")
		add("ConfigMap", namespace, "y", "2")
	}
	add("Node", "", "n1", "1")
	add("Node", "", "n2", "2")
	return all
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func clone(object map[string]any) (copied map[string]any) {
	if err := json.Unmarshal(encode(object), &copied); err != nil {
		panic(err)
	}
	return copied
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
