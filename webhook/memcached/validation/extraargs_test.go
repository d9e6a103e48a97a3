package validation

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/crds"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

func TestExtraArgs(t *testing.T) {
	cases := []struct {
		reason  string
		args    []string
		allowed bool
	}{
		{"none", nil, true},
		{"a short and a long flag", []string{"-F", "--disable-dumping"}, true},
		{"a flag with a value", []string{"-f", "1.25", "--slab-min-size", "64", "--listen-backlog=2048"}, true},
		{"options with and without values", []string{"-o", "slab_automove=1,no_lru_crawler,slab_sizes=100-200", "-o", "hash_algorithm=murmur3"}, true},
		{"the options of extstore without a field", []string{"-o", "ext_recache_rate=0,ext_max_sleep=10000"}, true},
		{"a flag with a field", []string{"-m", "64"}, false},
		{"a long flag with a field", []string{"--memory-limit=64"}, false},
		{"a prefix of a long flag, which getopt accepts", []string{"--disable-f"}, false},
		{"a longer name than a flag", []string{"--disable-watch-and-more"}, false},
		{"flags are case-sensitive", []string{"-c"}, false},
		{"a value joined to a flag", []string{"-f1.25"}, false},
		{"flags joined to each other", []string{"-FX"}, false},
		{"a flag without its value", []string{"-f"}, false},
		{"a negative number looks like a flag", []string{"-f", "-1"}, false},
		{"a value without a flag", []string{"1.25"}, false},
		{"the end of flags", []string{"--", "x"}, false},
		{"a value after the options of -o", []string{"-o", "modern", "hashpower=20"}, false},
		{"options joined to -o", []string{"-o,modern"}, false},
		{"an option that begins like a flag", []string{"-o", "modern,-C"}, false},
		{"options that end with a comma", []string{"-o", "modern,"}, false},
		{"-o without options", []string{"-o"}, false},
		{"a number in place of options", []string{"-o", "1"}, false},
		{"a listener", []string{"-l", "0.0.0.0:11212"}, false},
		{"an option that runs Lua", []string{"-o", "proxy_config=/etc/memcached/tls/tls.crt"}, false},
		{"an option that runs Lua after others", []string{"-o", "hashpower=20,proxy_config=routelib"}, false},
		{"options by the long flag", []string{"--extended=hashpower=20"}, false},
		{"the command shutdown", []string{"-A"}, false},
		{"a file of memory", []string{"-e", "memory"}, false},
		{"core dumps have passwords", []string{"-r"}, false},
		{"TLS has fields", []string{"-o", "ssl_key=key.pem"}, false},
		{"flash has fields", []string{"-o", "ext_path=flash"}, false},
		{"memcached must respond to probes at the limit of connections", []string{"-o", "no_maxconns_fast"}, false},
		{"two options with an empty one between them", []string{"-o", "hashpower=20,,modern"}, false},
		{"a line break", []string{"-f", "1.25\n-l"}, false},
	}
	for _, test := range cases {
		if errs := validateExtraArgs(test.args, field.NewPath("extraArgs")); (len(errs) == 0) != test.allowed {
			t.Errorf("%s: the errors of %q are %v, want allowed = %t", test.reason, test.args, errs, test.allowed)
		}
	}
}

// TestExtraArgsOfCRD checks that the CRD allows the flags and options of the hook, and no others.
func TestExtraArgsOfCRD(t *testing.T) {
	schemas, err := crds.Schemas[map[string]any]()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(schemas[v1alpha1.SchemeGroupVersion.WithKind("Memcached")])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"^((" + allowedFlags + "|-o ", "|((" + allowedOptions + ")(="} {
		if !strings.Contains(string(schema), want) {
			t.Errorf("the CRD does not have %q", want)
		}
	}
}
