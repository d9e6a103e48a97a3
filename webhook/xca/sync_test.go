package xca

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStatusOf(t *testing.T) {
	before := metav1.NewTime(time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC))
	now := metav1.NewTime(time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC))
	cases := []struct {
		reason   string
		observed Status
		want     Status
	}{
		{"the first sync activates", Status{}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"an active status does not change", Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}, Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"a change of the spec keeps the time", Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 1}, Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"an inactive status becomes active again", Status{LastUpdateTime: &before}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"a missing time is set again", Status{Active: true}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
	}
	for _, test := range cases {
		xca := &Xca{ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 2}, Status: test.observed}
		if diff := cmp.Diff(test.want, statusOf(xca, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		xca.Status = statusOf(xca, now)
		if diff := cmp.Diff(xca.Status, statusOf(xca, metav1.NewTime(now.Add(time.Hour)))); diff != "" {
			t.Errorf("%s: an hour later the status changes (-want +got):\n%s", test.reason, diff)
		}
	}
}
