package composite

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestQuantities: the API server accepts quantities that take minutes or gigabytes to compute with.
func TestQuantities(t *testing.T) {
	for text, valid := range map[string]bool{
		`"64Mi"`: true, `"0.5"`: true, `"100m"`: true, `"1e3"`: true, `"-1E-3"`: true, `"12E"`: true, `2`: true, `null`: true,
		`"1e999999999"`: false, `"1e-999999999"`: false, `"1e100"`: false, `"1000000000000000000000000000000"`: false, `"64MB"`: false,
	} {
		var quantity resource.Quantity
		if err := jsonv2.Unmarshal([]byte(text), &quantity, quantities); (err == nil) != valid {
			t.Errorf("%s: %v, want valid: %t", text, err, valid)
		}
	}
}
