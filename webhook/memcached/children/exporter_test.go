package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/test/sample"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestExporterAddress(t *testing.T) {
	cases := []struct {
		reason string
		spec   v1alpha1.MemcachedSpec
		want   string
	}{
		{"the client port serves the ASCII protocol without TLS", v1alpha1.MemcachedSpec{}, "--memcached.address=127.0.0.1:11211"},
		{"the client port serves TLS", v1alpha1.MemcachedSpec{TLS: &v1alpha1.TLS{}}, "--memcached.address=127.0.0.1:11213"},
		{"the client port serves the binary protocol only", v1alpha1.MemcachedSpec{Auth: &v1alpha1.Auth{}}, "--memcached.address=127.0.0.1:11213"},
	}
	for _, test := range cases {
		test.spec.Metrics.Enabled = true
		if diff := cmp.Diff([]string{test.want, "--web.listen-address=:9150"}, exporterContainer(sample.Defaulted(test.spec), DefaultExporterImage).Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
