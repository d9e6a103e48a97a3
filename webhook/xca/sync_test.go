package xca

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/xca/v1beta1"
)

func TestStatusOf(t *testing.T) {
	before := metav1.NewTime(time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC))
	now := metav1.NewTime(time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC))
	cases := []struct {
		reason   string
		observed v1beta1.XcaStatus
		want     v1beta1.XcaStatus
	}{
		{"the first sync activates", v1beta1.XcaStatus{}, v1beta1.XcaStatus{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"an active status does not change", v1beta1.XcaStatus{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}, v1beta1.XcaStatus{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"a change of the spec keeps the time", v1beta1.XcaStatus{Active: true, LastUpdateTime: &before, ObservedGeneration: 1}, v1beta1.XcaStatus{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"an inactive status becomes active again", v1beta1.XcaStatus{LastUpdateTime: &before}, v1beta1.XcaStatus{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"a missing time is set again", v1beta1.XcaStatus{Active: true}, v1beta1.XcaStatus{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
	}
	for _, test := range cases {
		xca := &v1beta1.Xca{ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 2}, Status: test.observed}
		if diff := cmp.Diff(test.want, statusOf(xca, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		xca.Status = statusOf(xca, now)
		if diff := cmp.Diff(xca.Status, statusOf(xca, metav1.NewTime(now.Add(time.Hour)))); diff != "" {
			t.Errorf("%s: an hour later the status changes (-want +got):\n%s", test.reason, diff)
		}
	}
}
