package conditions

import (
	"testing"
	"time"
)

func TestSoonest(t *testing.T) {
	cases := []struct{ a, b, want time.Duration }{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {3, 5, 3}, {5, 3, 3}}
	for _, test := range cases {
		if got := Soonest(test.a, test.b); got != test.want {
			t.Errorf("Soonest(%d, %d) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
