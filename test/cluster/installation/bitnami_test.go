package installation

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/cluster/clustertest"
)

// chart lists the objects of testdata/bitnami.yaml.
const chart = "service/shop-memcached,statefulset/shop-memcached,poddisruptionbudget/shop-memcached,networkpolicy/shop-memcached"

// TestMigrateFromBitnami checks the migration page: caches run in parallel to the objects of the chart, a name of the release is
// selected by the Service of the chart, and after the deletion of the chart a new cache has the names of its servers.
func TestMigrateFromBitnami(t *testing.T) {
	kubectl(t, "apply", "--filename", "testdata/bitnami.yaml")
	kubectl(t, "rollout", "status", "statefulset/shop-memcached", "--timeout=2m")
	old := []string{"shop-memcached-0", "shop-memcached-1", "shop-memcached-2"}

	create(t, "sidebyside", 3)
	kubectl(t, "wait", "--for=condition=Ready", "memcached/sidebyside", "--timeout=2m")
	waitForServers(t, "shop-memcached", old, "the objects of the chart and the new cache do not share pods")
	waitForServers(t, "sidebyside", []string{"sidebyside-0", "sidebyside-1", "sidebyside-2"}, "the objects of the chart and the new cache do not share pods")

	create(t, "shop", 1)
	kubectl(t, "wait", "--for=condition=Ready", "memcached/shop", "--timeout=2m")
	waitForServers(t, "shop-memcached", append([]string{"shop-0"}, old...), "the Service of the chart also selects a cache with the name of the release, as the page warns")
	kubectl(t, "delete", "memcached", "shop")

	create(t, "shop-memcached", 3)
	waitFor(t, "the status has the reason StatefulSetMissing after a minute", func() (string, bool) {
		reason := kubectl(t, "get", "memcached", "shop-memcached", "--output", `jsonpath={.status.conditions[?(@.type=="Degraded")].reason}`)
		return reason, reason == "StatefulSetMissing"
	})
	kubectl(t, append([]string{"delete"}, strings.Split(chart, ",")...)...)
	kubectl(t, "wait", "--for=condition=Ready", "memcached/shop-memcached", "--timeout=2m")
	waitForServers(t, "shop-memcached", old, "clients find the new cache under the names of the old one")
}

// create creates a Memcached with a StatefulSet.
func create(t *testing.T, name string, size int) {
	t.Helper()
	kubectl(t, "apply", "--filename", clustertest.WriteFile(t, "cache.yaml", strings.Replace(cache(name, size), "spec: {", "spec: {workload: StatefulSet, ", 1)))
}

// waitForServers waits until the Service has the pods as endpoints.
func waitForServers(t *testing.T, service string, want []string, why string) {
	t.Helper()
	slices.Sort(want)
	waitFor(t, why, func() (string, bool) {
		got := strings.Fields(kubectl(t, "get", "endpointslices", "--selector", "kubernetes.io/service-name="+service, "--output", "jsonpath={.items[*].endpoints[*].targetRef.name}"))
		slices.Sort(got)
		diff := cmp.Diff(want, got)
		return diff, diff == ""
	})
}
