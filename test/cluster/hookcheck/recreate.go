package main

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var recreated = clusterCheck{
	Check: check.Check{
		ID:    "cluster-recreate",
		Looks: "the deletion of each child by somebody else: Metacontroller creates it again, and settles",
		Why:   "A hook that takes a status, or what it observed first, as proof that a child exists never returns the child again.",
	},
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		for _, child := range p.desired() {
			before, err := r.get(ctx, child)
			if err != nil {
				return nil, err
			}
			if before == nil {
				continue // it has ended meanwhile
			}
			start := time.Now()
			if err := r.cluster.Client.Delete(ctx, before, client.PropagationPolicy("Background")); client.IgnoreNotFound(err) != nil {
				return nil, err
			}
			problems, err := r.until(ctx, func() ([]string, error) {
				if again, err := r.get(ctx, child); err != nil || again != nil && again.GetUID() != before.GetUID() {
					return nil, err
				}
				return []string{check.NameOf(child.Object) + " does not come back after it was deleted"}, nil
			})
			if err == nil && len(problems) == 0 {
				problems, err = r.quiet(ctx, p, start)
			}
			if err != nil || len(problems) > 0 {
				return problems, err
			}
		}
		return nil, nil
	}),
}
