package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Default sets the fields that are not set and whose default is a constant. The API server does the same with the defaults of the
// CRD. The hooks call Default too, because a request can be of a CRD without these defaults.
func (m *Memcached) Default() {
	spec := &m.Spec
	if spec.Proxy != nil {
		setDefault(&spec.Workload, StatefulSetWorkload)
		spec.Proxy.setDefaults()
	}
	setDefault(&spec.Workload, DeploymentWorkload)
	setDefault(&spec.ServiceAccountName, "default")
	setDefault(&spec.PreStopSleepSeconds, new(int64(5)))
	setDefault(&spec.Rollout.MinReadySeconds, new(int32(30)))
	setDefault(&spec.Scaling.StepIntervalSeconds, new(int32(60)))
	setDefault(&spec.Service.IPFamilyPolicy, new(corev1.IPFamilyPolicySingleStack))
	spec.Cache.setDefaults()
	if spec.TLS != nil {
		setDefault(&spec.TLS.ClientAuth, ClientAuthNone)
		setDefault(&spec.TLS.Plaintext, PlaintextDisabled)
	}
	if spec.Auth != nil {
		setDefault(&spec.Auth.Mode, AuthSASL)
	}
	if spec.Flash != nil {
		spec.Flash.setDefaults()
	}
}

func (p *Proxy) setDefaults() {
	setDefault(&p.Replicas, new(int32(2)))
	setDefault(&p.Warmup.Enabled, new(true))
	setDefault(&p.Warmup.MaxSeconds, new(int32(600)))
	setDefault(&p.Warmup.ItemsPerSecond, new(int32(10000)))
	setDefault(&p.PreStopSleepSeconds, new(int64(2)))
}

func (c *Cache) setDefaults() {
	setDefault(&c.OverheadPercent, new(int64(10)))
	setDefault(&c.MaxConnections, new(int64(1024)))
	setDefault(&c.Threads, new(int32(4)))
	setDefault(&c.MaxItemSize, resource.NewQuantity(1<<20, resource.BinarySI))
	setDefault(&c.Verbosity, new(int32(1)))
}

// setDefaults sets the page size, the number of threads and the minimum size of items of memcached, and the write buffer of Loki's
// Helm chart.
func (f *Flash) setDefaults() {
	setDefault(&f.AverageItemSize, resource.NewQuantity(4<<10, resource.BinarySI))
	setDefault(&f.MinItemSize, resource.NewQuantity(512, resource.BinarySI))
	setDefault(&f.Threads, new(int32(1)))
	setDefault(&f.WriteBuffer, resource.NewQuantity(16<<20, resource.BinarySI))
	setDefault(&f.PageSize, resource.NewQuantity(64<<20, resource.BinarySI))
}

// setDefault sets a field that has its zero value.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
