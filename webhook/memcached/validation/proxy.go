package validation

import (
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// withoutListing matches flags and options with which items cannot move. The CRD has the same pattern.
var withoutListing = regexp.MustCompile(`^(-[CX]|--disable-(cas|dumping))$|no_(lru_crawler|modern)`)

// validateProxy repeats rules of the CRD. Reasons: size; name, because the proxies use the names of the pods of a StatefulSet; open,
// because the proxies would serve without the passwords of spec; and late.
func validateProxy(spec *v1alpha1.MemcachedSpec, path *field.Path) field.ErrorList {
	if spec.Proxy == nil {
		return nil
	}
	path = path.Child("proxy")
	errs := validateRange(path.Child("replicas"), spec.Proxy.Replicas, 1, 100)
	if spec.Workload != v1alpha1.StatefulSetWorkload {
		errs = append(errs, field.Forbidden(path, "requires spec.workload StatefulSet, because its pods keep their names. It is the default with proxies"))
	}
	if spec.Auth != nil {
		errs = append(errs, field.Forbidden(path, "cannot be combined with spec.auth, because memcached exits if a proxy has passwords. Use client certificates instead: set spec.tls.clientAuth"))
	}
	if spec.Cache.DisableEvictions {
		errs = append(errs, field.Forbidden(path, "cannot be combined with spec.cache.disableEvictions, because an item that moves needs memory for a second copy"))
	}
	if slices.ContainsFunc(spec.Cache.ExtraArgs, withoutListing.MatchString) {
		errs = append(errs, field.Forbidden(path, "cannot be combined with -C, -X, --disable-cas, --disable-dumping, no_lru_crawler or no_modern in spec.cache.extraArgs, because items move by CAS and by lists of keys"))
	}
	errs = append(errs, validateAnnotations(path.Child("service", "annotations"), spec.Proxy.Service.Annotations)...)
	errs = append(errs, validateRange(path.Child("warmup", "maxSeconds"), spec.Proxy.Warmup.MaxSeconds, 1, 86400)...)
	errs = append(errs, validateRange(path.Child("warmup", "itemsPerSecond"), spec.Proxy.Warmup.ItemsPerSecond, 1, 1_000_000)...)
	errs = append(errs, validatePodLabels(path.Child("job", "labels"), spec.Proxy.Job.Labels)...)
	errs = append(errs, validateAnnotations(path.Child("job", "annotations"), spec.Proxy.Job.Annotations)...)
	return append(errs, corevalidation.Resources(path.Child("resources"), &spec.Proxy.Resources)...)
}

// validateProxyConfig refuses a size whose server names do not fit into the annotations of a pod.
func validateProxyConfig(memcached *v1alpha1.Memcached, path *field.Path, domain string) field.ErrorList {
	if memcached.Spec.Proxy == nil {
		return nil
	}
	size := max(*memcached.Spec.Size, 1)
	from := moves.Range{First: 999_999 - 2*size, Count: size} // hundreds of changes of the pod template later
	to := moves.Range{First: from.End(), Count: size}
	longest := moves.Routes{Move: moves.Move{From: moves.Pool{Slots: from}, To: moves.Pool{Slots: to}}, Phase: moves.Announcing}
	if len(corevalidation.Annotations(path, proxy.PodAnnotations(memcached, proxy.ReleaseDefaults{Library: proxy.Library, Domain: domain}, longest))) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("size"), size,
		"the names of all servers and spec.podAnnotations do not fit into the annotations of a proxy. Decrease the size, or use shorter names or annotations")}
}
