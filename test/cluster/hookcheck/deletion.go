package main

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var deleted = clusterCheck{
	Check: check.Check{
		ID:    "cluster-delete",
		Looks: "the deletion of the parent: it ends, and all its children are deleted with it",
		Why: "A finalizer that stays blocks the deletion of the parent and its namespace, and a child that stays costs money " +
			"(metacontroller#144).",
	},
	always: true,
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		children := p.desired()
		if err := r.cluster.Client.Delete(ctx, p.DeepCopy(), client.PropagationPolicy("Background")); client.IgnoreNotFound(err) != nil {
			return nil, err
		}
		return r.until(ctx, func() (left []string, err error) {
			if live, getErr := r.get(ctx, p.Unstructured); live != nil {
				left = append(left, "the parent stays, with the finalizers "+string(encode(live.GetFinalizers())))
			} else {
				err = getErr
			}
			for _, child := range children {
				live, getErr := r.get(ctx, child)
				if err = errors.Join(err, getErr); live != nil {
					left = append(left, check.NameOf(child.Object)+" stays, with the finalizers "+string(encode(live.GetFinalizers())))
				}
			}
			return left, err
		})
	}),
}
