package memcached

import (
	"strings"
	"testing"
)

func TestRefuseArg(t *testing.T) {
	cases := []struct{ reason, arg, sentence string }{
		{"a flag without a field", "-F", ""},
		{"likewise by its long name", "--disable-flush-all", ""},
		{"with a value", "--slab-growth-factor=1.5", ""},
		{"a value", "1.25", ""},
		{"a value that only looks like a flag of ours", "m", ""},
		{"an option without a field", "slab_automove=1,hashpower=20", ""},
		{"a flag with a field", "-m", "spec.cache.memoryMB"},
		{"flags are told apart by their case", "-M", "spec.cache.disableEvictions"},
		{"the long name", "--memory-limit", "spec.cache.memoryMB"},
		{"the long name and a value", "--memory-limit=64", "spec.cache.memoryMB"},
		{"memcached takes a beginning of the name", "--thr=8", "spec.cache.threads"},
		{"a beginning of several names", "--memory", "spec.cache.memoryMB"},
		{"a longer name is another", "--threads-and-more", ""},
		{"a value joined to a flag", "-c10", "an element of its own"},
		{"flags joined to each other", "-rm", "an element of its own"},
		{"the end of all flags", "--", "an element of its own"},
		{"a dash alone", "-", "an element of its own"},
		{"a listener", "-l", "11211"},
		{"TLS", "--enable-ssl", "TLS"},
		{"an option of TLS among others", "hashpower=20,ssl_key=/x", "TLS"},
		{"an option of TLS with its flag", "--extended=ssl_key=/x", "TLS"},
		{"connections beyond the limit must be answered", "no_maxconns_fast", "probes"},
		{"that they are is the default", "maxconns_fast", ""},
	}
	for _, test := range cases {
		got := refuseArg(test.arg)
		if (got == "") != (test.sentence == "") || !strings.Contains(got, test.sentence) {
			t.Errorf("%s: %q is answered with %q, want one about %q", test.reason, test.arg, got, test.sentence)
		}
	}
}
