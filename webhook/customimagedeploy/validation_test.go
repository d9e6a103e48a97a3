package customimagedeploy

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	cases := []struct {
		reason   string
		edit     func(*CustomImageDeploy)
		sentence string
	}{
		{"all that is required", func(*CustomImageDeploy) {}, ""},
		{"the size has a default", func(d *CustomImageDeploy) { d.Spec.Size = nil }, ""},
		{"none is a number of pods too", func(d *CustomImageDeploy) { *d.Spec.Size = 0 }, ""},
		{"less than none", func(d *CustomImageDeploy) { *d.Spec.Size = -1 }, "spec.size: Invalid value: -1"},
		{"nothing to run", func(d *CustomImageDeploy) { d.Spec.Image = "" }, "spec.image: Required value: say which image to run"},
		{"a blank at the end, as copied", func(d *CustomImageDeploy) { d.Spec.Image = "shop:1 " }, "without blanks"},
		{"a command is no image", func(d *CustomImageDeploy) { d.Spec.Image = "shop\trun" }, "without blanks"},
		{"an absent port must not read as 0", func(d *CustomImageDeploy) { d.Spec.Port = nil }, "spec.port: Required value"},
		{"the least port", func(d *CustomImageDeploy) { *d.Spec.Port = 1 }, ""},
		{"the greatest port", func(d *CustomImageDeploy) { *d.Spec.Port = 65535 }, ""},
		{"port 0 is none", func(d *CustomImageDeploy) { *d.Spec.Port = 0 }, "spec.port: Invalid value: 0"},
		{"ports end at 65535", func(d *CustomImageDeploy) { *d.Spec.Port = 65536 }, "spec.port: Invalid value: 65536"},
		{"a host name", func(d *CustomImageDeploy) { d.Spec.Host = "shop.example.com" }, ""},
		{"all hosts of a domain", func(d *CustomImageDeploy) { d.Spec.Host = "*.example.com" }, ""},
		{"an asterisk stands for a whole label", func(d *CustomImageDeploy) { d.Spec.Host = "s*.example.com" }, "spec.host"},
		{"an asterisk stands first", func(d *CustomImageDeploy) { d.Spec.Host = "shop.*.com" }, "spec.host"},
		{"an Ingress takes no IP address", func(d *CustomImageDeploy) { d.Spec.Host = "192.0.2.1" }, "not an IP address"},
		{"a URL is no host", func(d *CustomImageDeploy) { d.Spec.Host = "https://shop.example.com" }, "spec.host"},
		{"a port is not part of a host", func(d *CustomImageDeploy) { d.Spec.Host = "shop.example.com:443" }, "spec.host"},
		{"an Ingress takes no capitals", func(d *CustomImageDeploy) { d.Spec.Host = "Shop.example.com" }, "spec.host"},
		{"a name of DNS has 253 characters", func(d *CustomImageDeploy) { d.Spec.Host = strings.Repeat("a.", 127) + "a" }, "spec.host"},
		{"a class", func(d *CustomImageDeploy) { d.Spec.IngressClassName = "public.example" }, ""},
		{"a class that cannot exist", func(d *CustomImageDeploy) { d.Spec.IngressClassName = "Public" }, "spec.ingressClassName"},
		{"a name that no Service can have", func(d *CustomImageDeploy) { d.Name = "my.shop" }, "metadata.name"},
	}
	for _, test := range cases {
		deploy := sample()
		test.edit(deploy)
		err := validate(deploy)
		if test.sentence == "" && err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		if test.sentence != "" && (err == nil || !strings.Contains(err.Error(), test.sentence)) {
			t.Errorf("%s: error %v, want one with %q", test.reason, err, test.sentence)
		}
	}
}
