package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var drifted = clusterCheck{
	Check: check.Check{
		ID:    "cluster-drift",
		Looks: "edits of a label and a field of each child by somebody else: Metacontroller reverts them, and settles",
		Why: "A hook that returns what it observes, instead of what the spec says, keeps every foreign edit. Leave out a field that another " +
			"controller sets.",
	},
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		for _, child := range p.desired() {
			if !p.updates(child) {
				continue
			}
			for _, part := range [][]string{{"metadata", "labels"}, {"spec"}} {
				value, _, _ := unstructured.NestedFieldNoCopy(child.Object, part...)
				if value == nil {
					continue
				}
				start := time.Now()
				field, foreign, err := r.edit(ctx, child, check.Leaves(value, part...))
				if err != nil {
					return nil, err
				}
				if foreign == nil {
					continue // the API server refuses all edits
				}
				problems, err := r.reverted(ctx, child, field, foreign)
				if err == nil && len(problems) == 0 {
					problems, err = r.quiet(ctx, p, start)
				}
				if err != nil || len(problems) > 0 {
					p.settled = false
					return problems, err
				}
			}
		}
		return nil, nil
	}),
}

// edit changes the first field of a child that the API server lets somebody change, and returns the field and its new value.
func (r *runner) edit(ctx context.Context, child *unstructured.Unstructured, fields []check.Leaf) (check.Leaf, any, error) {
	for _, field := range fields {
		for _, value := range check.Alternatives(field.Value) {
			patch := fmt.Sprintf(`[{"op":"replace","path":%q,"value":%s}]`, field.Pointer(), encode(value))
			if accepted, err := r.patch(ctx, child, patch); err != nil || accepted {
				return field, value, err
			}
		}
	}
	return check.Leaf{}, nil, nil
}

// reverted waits until a child has no foreign value.
func (r *runner) reverted(ctx context.Context, child *unstructured.Unstructured, field check.Leaf, foreign any) ([]string, error) {
	return r.until(ctx, func() ([]string, error) {
		live, err := r.get(ctx, child)
		if err != nil || live == nil {
			return nil, err // deleted, to create it again
		}
		value, _, _ := unstructured.NestedFieldNoCopy(live.Object, field.Path...)
		if string(encode(value)) == string(encode(foreign)) {
			return []string{fmt.Sprintf("%s keeps %s %s, which somebody else has set", check.NameOf(child.Object), field.Pointer(), encode(foreign))}, nil
		}
		return nil, nil
	})
}

// updates reports whether Metacontroller updates children of this kind.
func (p *parent) updates(child *unstructured.Unstructured) bool {
	method := p.subject.crds.UpdateMethod(map[string]any{"controller": p.subject.controller}, child.Object)
	return slices.Contains([]string{"InPlace", "Recreate"}, method)
}
