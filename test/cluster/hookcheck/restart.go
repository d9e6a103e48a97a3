package main

import (
	"context"
	"errors"
	"time"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// restarts is how often Metacontroller restarts. A change that goes on may write after one of them, but not after each.
const restarts = 3

var restarted = clusterCheck{
	Check: check.Check{
		ID:    "cluster-restart",
		Looks: "the first three syncs after each restart of Metacontroller: they write no child",
		Why: "Metacontroller and hooks restart at any time. If the hook keeps state, or its related objects depend on more than the spec, all " +
			"parents change then.",
	},
	run: func(ctx context.Context, r *runner, parents []*parent) (problems [][]string, err error) {
		for range restarts {
			start := time.Now()
			if err := errors.Join(r.cluster.Metacontroller.Kill(), r.cluster.Metacontroller.Start()); err != nil {
				return nil, err
			}
			now, err := each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
				return r.afterRestart(ctx, p, start)
			})(ctx, r, parents)
			if err != nil {
				return nil, err
			}
			for i := range now {
				if problems != nil && problems[i] == nil {
					now[i] = nil
				}
			}
			problems = now
		}
		return problems, nil
	},
}

// afterRestart returns what the first syncs after a restart write.
func (r *runner) afterRestart(ctx context.Context, p *parent, start time.Time) ([]string, error) {
	problems, err := r.until(ctx, func() ([]string, error) {
		if syncs := p.subject.last(p.key()); len(syncs) < kept || syncs[0].start.Before(start) {
			return []string{"Metacontroller does not call sync after its restart"}, nil
		}
		return nil, nil
	})
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	writes, err := r.writes(p, start)
	return describe(writes), err
}
