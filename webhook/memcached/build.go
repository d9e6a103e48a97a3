package memcached

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// desiredChildren are those of the kinds that the CompositeController lists, by what they belong to. The workload is the first of the
// servers, and the Deployment the first of the proxies.
type desiredChildren struct{ servers, proxies, job []runtime.Object }

func (d desiredChildren) all() []runtime.Object { return slices.Concat(d.servers, d.proxies, d.job) }

// build returns the desired children. Without spec.proxy, the decision only says which servers run while the proxies stop.
func (c Config) build(o *observation, t templates, d moves.Decision) desiredChildren {
	built := desiredChildren{servers: o.request.Listed(children.Children(&children.Input{
		Memcached: o.memcached,
		Template:  t.servers,
		Decision:  d,
		Service:   o.service(o.memcached.Name),
	}))}
	if d.Job == (moves.DesiredJob{}) && o.hasJobPods {
		built.job = o.request.Listed(proxy.EndingJobChildren(o.memcached))
	}
	if t.proxies == nil {
		if d.ProxyStatus != nil { // not the status before, because a status that the hook writes causes no sync
			built.proxies = o.request.Listed(proxy.EndingChildren(o.memcached))
		}
		return built
	}
	input := &proxy.Input{
		Memcached:     o.memcached,
		Template:      t.proxies.with(d.Routes),
		Decision:      d,
		OperatorImage: c.OperatorImage,
		Domain:        o.domain,
		Memory:        t.memory,
		Service:       o.service(proxy.Name(o.memcached)),
	}
	built.proxies = o.request.Listed(proxy.Children(input))
	if d.Job != (moves.DesiredJob{}) {
		built.job = o.request.Listed(proxy.JobChildren(input))
	}
	return built
}
