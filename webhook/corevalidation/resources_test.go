package corevalidation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestResources(t *testing.T) {
	cases := []struct{ reason, limit, request, want string }{
		{"a request below its limit", "2", "1", ""},
		{"a negative request", "0", "-1", "spec.requests[cpu]: Invalid value"},
		{"the maximum of 64 bits", "9223372036854775807", "0", ""},
		{"more than 64 bits by one digit", "1e19", "0", "spec.limits[cpu]: Invalid value"},
		{"more than 64 bits in digits", "1000000000000000000000", "0", "spec.limits[cpu]: Invalid value"},
	}
	for _, test := range cases {
		given := corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{"cpu": resource.MustParse(test.limit)},
			Requests: corev1.ResourceList{"cpu": resource.MustParse(test.request)},
		}
		expect(t, test.reason, Resources(specPath, &given), test.want)
	}
}
