package main

import (
	"context"
	"time"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var settles = clusterCheck{
	Check: check.Check{
		ID:    "cluster-settles",
		Looks: "a new parent: Metacontroller creates all children, and then three syncs in a row write none of them",
		Why: "Each write causes another sync, without end. The files do not show fields that admission or other controllers set " +
			"(GoogleCloudPlatform/metacontroller#76, metacontroller#319).",
	},
	always: true,
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		problems, err := r.quiet(ctx, p, time.Time{})
		p.settled = len(problems) == 0
		return problems, err
	}),
}
