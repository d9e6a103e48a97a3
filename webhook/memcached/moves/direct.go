package moves

import "github.com/example/memcached-operator/webhook/memcached/v1alpha1"

// decideWithoutProxies returns the decision for servers without proxies: steps towards the size. They begin where they are observed, and a
// change of the pod template replaces them in place.
func (f Facts) decideWithoutProxies() Decision {
	d := Decision{Ordinals: Range{f.existingOrdinals().First, f.Size}}
	if f.MaxStep == 0 {
		return d
	}
	if f.Workload == nil {
		d.Scaling = f.stepStatus(v1alpha1.Revision{}, f.Size)
		return d
	}
	revision, existing := f.Workload.Revision, min(f.Workload.Ordinals.Count, MaxServers)
	d.Ordinals.Count = existing
	d.Scaling = f.stepStatus(revision, existing)
	left := f.untilStep(revision)
	switch recorded, next := f.Status.Scaling, f.SizeAfterStep(existing); {
	case recorded != nil && recorded.Observed.Equal(revision) && recorded.Replicas == next: // not applied, or not observed yet
		d.Ordinals.Count, d.Scaling.Replicas = next, next
	case existing != f.Size && (left == 0 || existing == 0) && (f.Size < existing || f.Workload.Available >= existing):
		d.Ordinals.Count, d.Scaling.Replicas, d.Scaling.LastStepTime = next, next, seconds(f.Now)
		left = f.Interval
	}
	if d.Ordinals.Count != f.Size {
		d.Wait = left
	}
	return d
}
