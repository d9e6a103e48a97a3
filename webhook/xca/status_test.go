package xca

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStatus(t *testing.T) {
	before := metav1.NewTime(time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC))
	now := metav1.NewTime(time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC))
	cases := []struct {
		reason   string
		observed Status
		want     Status
	}{
		{"the first sync makes it active", Status{}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"a settled one never changes again", Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}, Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"a change of the spec moves no time", Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 1}, Status{Active: true, LastUpdateTime: &before, ObservedGeneration: 2}},
		{"one that was made inactive is active anew from now on", Status{LastUpdateTime: &before}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
		{"a time that was lost cannot be found again", Status{Active: true}, Status{Active: true, LastUpdateTime: &now, ObservedGeneration: 2}},
	}
	for _, test := range cases {
		xca := &Xca{ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 2}, Status: test.observed}
		if diff := cmp.Diff(test.want, status(xca, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		xca.Status = status(xca, now)
		if diff := cmp.Diff(xca.Status, status(xca, metav1.NewTime(now.Add(time.Hour)))); diff != "" {
			t.Errorf("%s: and an hour later it changes (-want +got):\n%s", test.reason, diff)
		}
	}
}
