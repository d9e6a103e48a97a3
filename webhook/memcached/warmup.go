package memcached

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/scaling"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// warmup returns the desired Job; none if items are not copied now. The conditions do not await the Job, because the warm-up ends
// without it too.
func (c Config) warmup(memcached *v1alpha1.Memcached, p scaling.Plan) []runtime.Object {
	if p.Copy == (scaling.Routes{}) || memcached.Spec.Proxy == nil {
		return nil
	}
	return []runtime.Object{proxy.Warmup(memcached, p.Copy, c.ReloaderImage)}
}

// observedCopy returns the observed Job; nil if there is none, or if it is being deleted.
func observedCopy(request *syncRequest) *scaling.Copy {
	job := request.Children.Jobs.Get(request.Parent.Namespace, proxy.WarmupName(request.Parent))
	if job == nil || job.Terminating() {
		return nil
	}
	return &scaling.Copy{
		For:      job.Annotations[proxy.CopiedForAnnotation],
		Complete: job.Has(string(batchv1.JobComplete)),
		Failed:   job.Has(string(batchv1.JobFailed)),
		Servers:  job.Spec.Completions,
		Copied:   job.Status.Succeeded,
	}
}
