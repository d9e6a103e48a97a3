package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var edited = clusterCheck{
	Check: check.Check{
		ID:    "cluster-edit",
		Looks: "an edit of each field in the spec of the sample, one after the other, to a value that the API server accepts: the parent settles",
		Why:   "A hot loop, or a child that the API server refuses, may need a value that the sample does not have (metacontroller#863).",
	},
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		spec, found := p.Object["spec"]
		if !found {
			return nil, nil
		}
		generated, _, _ := unstructured.NestedBool(p.subject.controller, "spec", "generateSelector")
		for _, field := range check.Leaves(spec, "spec") {
			if field.Path[1] == "selector" && !generated {
				continue // another selector is the same as the loss of all children
			}
			start := time.Now()
			edit, err := r.editSpec(ctx, p, field)
			if err != nil {
				return nil, err
			}
			if edit == "" {
				continue // the API server refuses all edits
			}
			if problems, err := r.quiet(ctx, p, start); err != nil || len(problems) > 0 {
				p.settled = false
				return append([]string{"after " + edit}, problems...), err
			}
		}
		start := time.Now()
		if _, err := r.patch(ctx, p.Unstructured, fmt.Sprintf(`[{"op":"replace","path":"/spec","value":%s}]`, encode(spec))); err != nil {
			return nil, err
		}
		return r.quiet(ctx, p, start)
	}),
}

// editSpec changes a field in the spec of the sample, or else removes it, and returns the edit. It replaces the whole spec, which also
// ends the edit before.
func (r *runner) editSpec(ctx context.Context, p *parent, field check.Leaf) (string, error) {
	edits := []string{fmt.Sprintf(`{"op":"remove","path":%q}`, field.Pointer())}
	for _, value := range slices.Backward(check.Alternatives(field.Value)) {
		edits = append(edits, fmt.Sprintf(`{"op":"replace","path":%q,"value":%s}`, field.Pointer(), encode(value)))
	}
	for _, edit := range slices.Backward(edits) {
		patch := fmt.Sprintf(`[{"op":"replace","path":"/spec","value":%s},%s]`, encode(p.Object["spec"]), edit)
		if accepted, err := r.patch(ctx, p.Unstructured, patch); err != nil || accepted {
			return edit, err
		}
	}
	return "", nil
}

// patch applies a JSON Patch, and reports whether the API server accepts it.
func (r *runner) patch(ctx context.Context, o *unstructured.Unstructured, patch string) (bool, error) {
	err := r.cluster.Client.Patch(ctx, o.DeepCopy(), client.RawPatch(types.JSONPatchType, []byte(patch)))
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return false, nil // a child may have ended meanwhile
	}
	return err == nil, err
}
