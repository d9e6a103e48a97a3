package memcached

import (
	"github.com/example/memcached-operator/webhook/memcached/planning"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/merge"
)

// facts returns what the decision follows from.
func (c Config) facts(o *observation, t templates) (scaling.Facts, error) {
	current := false
	if o.workload != nil && planning.HasProxies(o.memcached) { // only proxies can move items to another pod template
		change, err := merge.TemplateChange(&t.servers.PodTemplateSpec, o.workload)
		if err != nil {
			return scaling.Facts{}, err
		}
		current = change == ""
	}
	return planning.Observed{
		Memcached: o.memcached,
		Workload:  o.workload,
		Current:   current,
		Proxies:   o.proxies,
		Pods:      o.Related.Pods.All(),
		Job:       o.job,
		CanRunJob: c.OperatorImage != "" && o.memcached.Spec.WarmsUp() && o.Children.Jobs.Listed(),
	}.Facts(o.Now.Time), nil
}
