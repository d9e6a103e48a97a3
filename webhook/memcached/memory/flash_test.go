package memory

import (
	"testing"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestFlashMiB(t *testing.T) {
	smallPages := sample.Flash("1Gi")
	smallPages.PageSize = sample.Quantity("2Mi")
	cases := []struct {
		reason string
		flash  *v1alpha1.Flash
		want   int64
	}{
		{"no flash", nil, 0},
		{"90 percent of 1024 MiB is 14 whole pages", sample.Flash("1Gi"), 14 * 64},
		{"a decimal size", sample.Flash("100G"), 85824},
		{"small pages", smallPages, 920},
	}
	for _, test := range cases {
		if got := FlashMiB(test.flash); got != test.want {
			t.Errorf("%s: %d MiB, want %d", test.reason, got, test.want)
		}
	}
}
