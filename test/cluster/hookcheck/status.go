package main

import (
	"context"
	"fmt"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

var statusStored = clusterCheck{
	Check: check.Check{
		ID:    "cluster-status",
		Looks: "the status of a settled parent: the API server stores all of it, and three syncs in a row do not write it",
		Why:   "Metacontroller writes a status again that the API server refuses, or that lacks a field, at each sync (GoogleCloudPlatform/metacontroller#171).",
	},
	run: each(func(ctx context.Context, r *runner, p *parent) ([]string, error) {
		return r.until(ctx, func() ([]string, error) {
			syncs := p.subject.last(p.key())
			writes, err := r.requests(p, syncs[0].start)
			if err != nil {
				return nil, err
			}
			for _, w := range writes {
				if p.isStatus(w) && !outdated(w) {
					return []string{fmt.Sprintf("each sync writes the status, because of status.%s %s", p.changed(syncs[len(syncs)-1]), w.ResponseStatus.Message)}, nil
				}
			}
			return nil, nil
		})
	}),
}

// changed returns the field in which a status differs from the stored one.
func (p *parent) changed(last exchange) string {
	request, answer := last.decoded()
	_, writes := p.subject.crds.Apply(request, answer)
	for _, w := range writes {
		if w.Child == "" {
			return w.What
		}
	}
	return ""
}
