package memcached

import (
	"strings"
	"testing"
)

func TestArgError(t *testing.T) {
	cases := []struct{ reason, arg, sentence string }{
		{"a short flag without a field", "-F", ""},
		{"a long flag without a field", "--disable-flush-all", ""},
		{"a long flag with a value", "--slab-growth-factor=1.5", ""},
		{"a value", "1.25", ""},
		{"a value with the letter of an owned flag", "m", ""},
		{"an option without a field", "slab_automove=1,hashpower=20", ""},
		{"a short flag with a field", "-m", "spec.cache.memory"},
		{"flags are case-sensitive", "-M", "spec.cache.disableEvictions"},
		{"a long flag with a field", "--memory-limit", "spec.cache.memory"},
		{"a long flag with a field and a value", "--memory-limit=64", "spec.cache.memory"},
		{"a prefix of a long flag", "--thr=8", "spec.cache.threads"},
		{"a prefix of several long flags", "--memory", "spec.cache.memory"},
		{"an owned flag is a prefix of another flag", "--threads-and-more", ""},
		{"a value joined to a flag", "-c10", "a separate element"},
		{"flags joined to each other", "-rm", "a separate element"},
		{"the end of flags", "--", "a separate element"},
		{"a dash alone", "-", "a separate element"},
		{"a flag for listeners", "-l", "11211"},
		{"a flag for TLS", "--enable-ssl", "TLS"},
		{"a TLS option among other options", "hashpower=20,ssl_key=/x", "TLS"},
		{"a TLS option joined to a long flag", "--extended=ssl_key=/x", "TLS"},
		{"an option of the flash tier with a field", "ext_path=/x:1G", "spec.flash"},
		{"an option of the flash tier without a field", "ext_recache_rate=0", ""},
		{"memcached must respond to probes at the limit of connections", "no_maxconns_fast", "probes"},
		{"maxconns_fast is the default", "maxconns_fast", ""},
	}
	for _, test := range cases {
		got := argError(test.arg)
		if (got == "") != (test.sentence == "") || !strings.Contains(got, test.sentence) {
			t.Errorf("%s: the error of %q is %q, want one with %q", test.reason, test.arg, got, test.sentence)
		}
	}
}
