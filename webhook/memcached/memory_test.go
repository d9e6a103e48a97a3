package memcached

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func limitedTo(limit string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}}
}

func TestSizing(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   [3]int64 // items, limit, and the limit that is needed
	}{
		{"neither is given", v1alpha1.MemcachedSpec{}, [3]int64{64, 123, 123}},
		{"64 MiB of items need 8 + 40 + 4 + 70.4", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MemoryMB: new(int64(64))}}, [3]int64{64, 123, 123}},
		{"256 MiB of items", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MemoryMB: new(int64(256))}}, [3]int64{256, 334, 334}},
		{"1 GiB of items", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MemoryMB: new(int64(1024))}}, [3]int64{1024, 1179, 1179}},
		{"what fits under 128Mi", v1alpha1.MemcachedSpec{Resources: limitedTo("128Mi")}, [3]int64{69, 128, 128}},
		{"what fits under 1Gi", v1alpha1.MemcachedSpec{Resources: limitedTo("1Gi")}, [3]int64{883, 1024, 1024}},
		{"a limit in decimal bytes is rounded down", v1alpha1.MemcachedSpec{Resources: limitedTo("1G")}, [3]int64{819, 953, 953}},
		{"no limit is too large for memcached's flag", v1alpha1.MemcachedSpec{Resources: limitedTo("8Ei")}, [3]int64{1048576, 8796093022207, 1153486}},
		{"more connections leave less for items", v1alpha1.MemcachedSpec{Resources: limitedTo("1Gi"), Cache: v1alpha1.Cache{MaxConnections: new(int64(65536))}}, [3]int64{654, 1024, 1024}},
		{"small items need more beside them", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{MemoryMB: new(int64(100)), OverheadPercent: new(int64(40))}}, [3]int64{100, 192, 192}},
		{"more classes have more first pages", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-f", "1.08"}}}, [3]int64{64, 147, 147}},
		{"by their long flag too", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"--slab-growth-factor=1.08"}}}, [3]int64{64, 147, 147}},
		{"and by a list", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-o", "no_modern,slab_sizes=100-200"}}}, [3]int64{64, 147, 147}},
		{"other arguments change nothing", v1alpha1.MemcachedSpec{Cache: v1alpha1.Cache{ExtraArgs: []string{"-b", "2048"}}}, [3]int64{64, 123, 123}},
		{"encryption, at 20 KiB for each of 1,024 connections", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, [3]int64{64, 139, 139}},
		{"certificates of clients, 9 more", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequest}}, [3]int64{64, 148, 148}},
		{"and passwords by SASL, 4 more", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{ClientAuth: v1alpha1.ClientAuthRequire}, Auth: &v1alpha1.Auth{}}, [3]int64{64, 152, 152}},
		{"passwords of ASCII are kept by nobody", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{Mode: v1alpha1.AuthASCII}}, [3]int64{64, 123, 123}},
		{"both fit", v1alpha1.MemcachedSpec{Resources: limitedTo("1Gi"), Cache: v1alpha1.Cache{MemoryMB: new(int64(64))}}, [3]int64{64, 1024, 123}},
		{"both, and too tight", v1alpha1.MemcachedSpec{Resources: limitedTo("100Mi"), Cache: v1alpha1.Cache{MemoryMB: new(int64(64))}}, [3]int64{64, 100, 123}},
	}
	for _, test := range cases {
		got := memorySizeOf(&test.spec)
		if diff := cmp.Diff(test.want, [3]int64{got.items, got.limit, got.needed}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if test.spec.Cache.MemoryMB == nil && got.tight() {
			t.Errorf("%s: what was derived from the limit does not fit under it", test.reason)
		}
	}
}

// TestSizingInverts: the items that fit under a limit need no more than that limit, and one MiB more of them would.
func TestSizingInverts(t *testing.T) {
	for limit := int64(70); limit < 5000; limit++ {
		for _, percent := range []int64{0, 10, 33, 400} {
			items := itemsUnder(limit, 52, percent)
			if needed := limitFor(items, 52, percent); needed > limit {
				t.Fatalf("%d MiB under a limit of %d need %d", items, limit, needed)
			}
			if needed := limitFor(items+1, 52, percent); needed <= limit {
				t.Fatalf("%d MiB under a limit of %d leave room for more", items, limit)
			}
		}
	}
}

func TestConnectionsMiB(t *testing.T) {
	cases := []struct {
		reason      string
		connections int64
		each, want  int64
	}{
		{"the default", 1024, 4, 4},
		{"one connection is rounded up", 1, 4, 1},
		{"encrypted ones are larger", 1024, 20, 20},
		{"many", 100000, 4, 391},
	}
	for _, test := range cases {
		if got := connectionsMiB(test.connections, test.each); got != test.want {
			t.Errorf("%s: %d MiB, want %d", test.reason, got, test.want)
		}
	}
}

// TestResourcesAreRounded: the API server stores no less than a thousandth, and an answer that differs from what is stored
// is a write at every sync.
func TestResourcesAreRounded(t *testing.T) {
	given := corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100u")}}
	for reason, got := range map[string]corev1.ResourceRequirements{
		"memcached's":    containerResources(given, memorySize{limit: 123}),
		"the exporter's": exporterResources(&v1alpha1.Metrics{Resources: given}),
	} {
		if cpu := got.Limits.Cpu().String(); cpu != "1m" {
			t.Errorf("%s cpu is %s, want 1m as the API server has it", reason, cpu)
		}
	}
}

func TestResources(t *testing.T) {
	cases := []struct {
		reason string
		given  corev1.ResourceRequirements
		limit  string
		ask    string
	}{
		{"none are given", corev1.ResourceRequirements{}, "123Mi", "123Mi"},
		{"the limit is given", limitedTo("1024Mi"), "1Gi", "1Gi"},
		{"the request is given", corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("50Mi")}}, "123Mi", "50Mi"},
	}
	for _, test := range cases {
		before := test.given.DeepCopy()
		got := containerResources(test.given, memorySize{limit: 123})
		limit, ask := got.Limits[corev1.ResourceMemory], got.Requests[corev1.ResourceMemory]
		if limit.Cmp(resource.MustParse(test.limit)) != 0 || ask.Cmp(resource.MustParse(test.ask)) != 0 {
			t.Errorf("%s: limit %s and request %s, want %s and %s", test.reason, limit.String(), ask.String(), test.limit, test.ask)
		}
		if diff := cmp.Diff(before, &test.given); diff != "" {
			t.Errorf("%s: the spec was changed (-before +after):\n%s", test.reason, diff)
		}
	}
}
