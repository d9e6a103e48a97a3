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
		{"no port, which must not mean 0", func(d *v1.CustomImageDeploy) { d.Spec.Port = nil }, "spec.port: Required value"},
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
