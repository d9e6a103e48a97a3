package customimagedeploy

import (
	"strings"
	"testing"

	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

func TestValidate(t *testing.T) {
	cases := []struct {
		reason  string
		edit    func(*v1.CustomImageDeploy)
		message string
	}{
		{"the required fields", func(*v1.CustomImageDeploy) {}, ""},
		{"size has a default", func(d *v1.CustomImageDeploy) { d.Spec.Size = nil }, ""},
		{"no pods", func(d *v1.CustomImageDeploy) { *d.Spec.Size = 0 }, ""},
		{"a negative size", func(d *v1.CustomImageDeploy) { *d.Spec.Size = -1 }, "spec.size: Invalid value: -1"},
		{"no image", func(d *v1.CustomImageDeploy) { d.Spec.Image = "" }, "spec.image: Required value: set the image to run"},
		{"an image with a blank at the end", func(d *v1.CustomImageDeploy) { d.Spec.Image = "shop:1 " }, "without blanks"},
		{"an image with a tab", func(d *v1.CustomImageDeploy) { d.Spec.Image = "shop\trun" }, "without blanks"},
		{"no port, which must not mean 0", func(d *v1.CustomImageDeploy) { d.Spec.Port = nil }, "spec.port: Required value"},
		{"the minimum port", func(d *v1.CustomImageDeploy) { *d.Spec.Port = 1 }, ""},
		{"the maximum port", func(d *v1.CustomImageDeploy) { *d.Spec.Port = 65535 }, ""},
		{"a port that is too low", func(d *v1.CustomImageDeploy) { *d.Spec.Port = 0 }, "spec.port: Invalid value: 0"},
		{"a port that is too high", func(d *v1.CustomImageDeploy) { *d.Spec.Port = 65536 }, "spec.port: Invalid value: 65536"},
		{"a host name", func(d *v1.CustomImageDeploy) { d.Spec.Host = "shop.example.com" }, ""},
		{"all hosts of a domain", func(d *v1.CustomImageDeploy) { d.Spec.Host = "*.example.com" }, ""},
		{"an asterisk as part of a label", func(d *v1.CustomImageDeploy) { d.Spec.Host = "s*.example.com" }, "spec.host"},
		{"an asterisk that is not the first label", func(d *v1.CustomImageDeploy) { d.Spec.Host = "shop.*.com" }, "spec.host"},
		{"an IP address", func(d *v1.CustomImageDeploy) { d.Spec.Host = "192.0.2.1" }, "not an IP address"},
		{"a URL", func(d *v1.CustomImageDeploy) { d.Spec.Host = "https://shop.example.com" }, "spec.host"},
		{"a host with a port", func(d *v1.CustomImageDeploy) { d.Spec.Host = "shop.example.com:443" }, "spec.host"},
		{"a host with capitals", func(d *v1.CustomImageDeploy) { d.Spec.Host = "Shop.example.com" }, "spec.host"},
		{"a host that is too long", func(d *v1.CustomImageDeploy) { d.Spec.Host = strings.Repeat("a.", 127) + "a" }, "spec.host"},
		{"an IngressClass", func(d *v1.CustomImageDeploy) { d.Spec.IngressClassName = "public.example" }, ""},
		{"an invalid IngressClass", func(d *v1.CustomImageDeploy) { d.Spec.IngressClassName = "Public" }, "spec.ingressClassName"},
		{"a name that a Service cannot have", func(d *v1.CustomImageDeploy) { d.Name = "my.shop" }, "metadata.name"},
	}
	for _, test := range cases {
		deploy := sample()
		test.edit(deploy)
		err := validate(deploy)
		if test.message == "" && err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		if test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.message)
		}
	}
}
