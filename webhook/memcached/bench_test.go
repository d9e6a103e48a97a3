package memcached

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/requests"
)

// BenchmarkSync answers requests for a number of pods; BenchmarkValid walks the same bytes and builds nothing, which is
// what they are measured by.
func BenchmarkSync(b *testing.B) {
	controller := Controller(Config{})
	forSizes(b, func(b *testing.B, body []byte) {
		for b.Loop() {
			if _, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValid(b *testing.B) {
	forSizes(b, func(b *testing.B, body []byte) {
		for b.Loop() {
			if !json.Valid(body) {
				b.Fatal("the request is not valid JSON")
			}
		}
	})
}

func forSizes(b *testing.B, run func(*testing.B, []byte)) {
	for _, pods := range []int{0, 3, 100, 1000, 3000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			body := requests.Sync(pods)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, body)
		})
	}
}

// TestRequestIsSettled: what is measured is the sync that a cluster sees most, of a parent that is as it should be.
func TestRequestIsSettled(t *testing.T) {
	body := requests.Sync(3)
	controller := Controller(Config{})
	response, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var request struct{ Parent struct{ Status any } }
	var answer struct{ Status any }
	if err := errors.Join(json.Unmarshal(body, &request), json.Unmarshal(response.Body, &answer)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(request.Parent.Status, answer.Status); diff != "" {
		t.Errorf("the status of the request is not the one that was answered last (-request +answer):\n%s", diff)
	}
}
