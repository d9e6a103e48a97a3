package corevalidation

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestResources(t *testing.T) {
	type list = map[corev1.ResourceName]string
	cases := []struct {
		reason           string
		limits, requests list
		want             string
	}{
		{"none", nil, nil, ""},
		{"a request below its limit", list{"cpu": "2"}, list{"cpu": "1"}, ""},
		{"a request above its limit", list{"cpu": "1"}, list{"cpu": "1001m"}, "spec.requests[cpu]: Invalid value"},
		{"a negative request", nil, list{"cpu": "-1"}, "spec.requests[cpu]: Invalid value"},
		{"a limit of 0", list{"cpu": "0"}, nil, ""},
		{"the maximum of 64 bits", list{"memory": "9223372036854775807"}, nil, ""},
		{"more than 64 bits", list{"memory": "1e21"}, nil, "spec.limits[memory]: Invalid value"},
		{"more than 64 bits by one digit", list{"memory": "1e19"}, nil, "spec.limits[memory]: Invalid value"},
		{"more than 64 bits in digits", list{"memory": "1000000000000000000000"}, nil, "spec.limits[memory]: Invalid value"},
		{"a device", list{"example.com/a": "1"}, list{"example.com/a": "1"}, ""},
		{"a device without a limit", nil, list{"example.com/a": "1"}, "spec.requests[example.com/a]: Invalid value"},
		{"fewer devices than the limit", list{"example.com/a": "2"}, list{"example.com/a": "1"}, "spec.requests[example.com/a]: Invalid value"},
		{"half of a device", list{"example.com/a": "500m"}, nil, "spec.limits[example.com/a]: Invalid value"},
		{"a resource without a domain", list{"gpu": "1"}, nil, "spec.limits[gpu]: Invalid value"},
		{"a resource of a quota", list{"requests.example.com/a": "1"}, nil, "spec.limits[requests.example.com/a]: Invalid value"},
		{"an invalid name", list{"a b": "1"}, nil, "spec.limits[a b]: Invalid value; spec.limits[a b]: Invalid value"},
		{"a native resource with a domain", list{"kubernetes.io/a": "1"}, nil, "spec.limits[kubernetes.io/a]: Invalid value"},
		{"huge pages", list{"hugepages-2Mi": "4Mi", "memory": "1Gi"}, nil, ""},
		{"half a huge page", list{"hugepages-2Mi": "3Mi", "memory": "1Gi"}, nil, "spec.limits[hugepages-2Mi]: Invalid value"},
		{"huge pages of an invalid size", list{"hugepages-a": "3Mi", "cpu": "1"}, nil, "spec.limits[hugepages-a]: Invalid value"},
		{"huge pages without cpu and memory", list{"hugepages-2Mi": "2Mi"}, nil, "spec: Forbidden"},
	}
	for _, test := range cases {
		given := corev1.ResourceRequirements{Limits: corev1.ResourceList{}, Requests: corev1.ResourceList{}}
		for name, value := range test.limits {
			given.Limits[name] = resource.MustParse(value)
		}
		for name, value := range test.requests {
			given.Requests[name] = resource.MustParse(value)
		}
		expect(t, test.reason, append(Resources(specPath, &given), HugePages(specPath, &given)...), test.want)
	}
	expect(t, "claims", Resources(specPath, &corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "a"}}}), "spec.claims: Forbidden")
}
