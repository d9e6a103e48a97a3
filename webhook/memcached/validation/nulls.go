package validation

import (
	"fmt"
	"strings"

	"github.com/example/memcached-operator/webhook/text"
)

// Nulls refuses fields without a value. YAML has null for them. The fields of the CRD that are nullable turn something on, such as
// spec.proxy and spec.tls: Go would read null as absent, and the cache would run without it. The API server drops null in all other fields.
// A CEL rule cannot refuse null, because the API server evaluates none for it.
func Nulls(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	return fmt.Errorf("no value for %s: set the field to {} for the defaults, or remove it", text.Value(strings.Join(fields, ", ")))
}
