package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// WithDefaults returns a copy with the fields that are not set and whose default is a constant. It shares all other values. The API server
// does the same with the defaults of the CRD. The hooks do it too, because a request can be of a CRD without these defaults.
func (m *Memcached) WithDefaults() *Memcached {
	defaulted := *m
	spec := &defaulted.Spec
	if spec.Proxy != nil {
		setDefault(&spec.Workload, StatefulSetWorkload)
		spec.Proxy = spec.Proxy.withDefaults()
	}
	setDefault(&spec.Workload, DeploymentWorkload)
	setDefault(&spec.ServiceAccountName, "default")
	setDefault(&spec.PreStopSleepSeconds, new(int64(5)))
	setDefault(&spec.Rollout.MinReadySeconds, new(int32(30)))
	setDefault(&spec.Scaling.StepIntervalSeconds, new(int32(60)))
	setDefault(&spec.Service.IPFamilyPolicy, new(corev1.IPFamilyPolicySingleStack))
	spec.Cache.setDefaults()
	if spec.TLS != nil {
		spec.TLS = spec.TLS.withDefaults()
	}
	if spec.Auth != nil {
		spec.Auth = spec.Auth.withDefaults()
	}
	if spec.Flash != nil {
		spec.Flash = spec.Flash.withDefaults()
	}
	return &defaulted
}

func (t TLS) withDefaults() *TLS {
	setDefault(&t.ClientAuth, ClientAuthNone)
	setDefault(&t.Plaintext, PlaintextDisabled)
	return &t
}

func (a Auth) withDefaults() *Auth {
	setDefault(&a.Mode, AuthSASL)
	return &a
}

func (p Proxy) withDefaults() *Proxy {
	setDefault(&p.Replicas, new(int32(2)))
	setDefault(&p.Service.Type, corev1.ServiceTypeClusterIP)
	setDefault(&p.Warmup.Enabled, new(true))
	setDefault(&p.Warmup.MaxSeconds, new(int32(600)))
	setDefault(&p.Warmup.ItemsPerSecond, new(int32(10000)))
	setDefault(&p.PreStopSleepSeconds, new(int64(2)))
	return &p
}

func (c *Cache) setDefaults() {
	setDefault(&c.OverheadPercent, new(int64(10)))
	setDefault(&c.MaxConnections, new(int64(1024)))
	setDefault(&c.Threads, new(int32(4)))
	setDefault(&c.MaxItemSize, resource.NewQuantity(1<<20, resource.BinarySI))
	setDefault(&c.Verbosity, new(int32(1)))
}

// withDefaults uses the page size, the number of threads and the minimum size of items of memcached, and the write buffer of Loki's
// Helm chart.
func (f Flash) withDefaults() *Flash {
	setDefault(&f.AverageItemSize, resource.NewQuantity(4<<10, resource.BinarySI))
	setDefault(&f.MinItemSize, resource.NewQuantity(512, resource.BinarySI))
	setDefault(&f.Threads, new(int32(1)))
	setDefault(&f.WriteBuffer, resource.NewQuantity(16<<20, resource.BinarySI))
	setDefault(&f.PageSize, resource.NewQuantity(64<<20, resource.BinarySI))
	return &f
}

// setDefault sets a field that has its zero value.
func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
