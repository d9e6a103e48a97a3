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

// BenchmarkSync measures a sync of several numbers of pods.
func BenchmarkSync(b *testing.B) {
	controller := Controller(Config{})
	runSizes(b, func(b *testing.B, body []byte) {
		for b.Loop() {
			if _, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkValid is the baseline of BenchmarkSync: it parses the same bytes and builds nothing.
func BenchmarkValid(b *testing.B) {
	runSizes(b, func(b *testing.B, body []byte) {
		for b.Loop() {
			if !json.Valid(body) {
				b.Fatal("the request is not valid JSON")
			}
		}
	})
}

func runSizes(b *testing.B, run func(*testing.B, []byte)) {
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

// TestRequestIsSettled checks that the benchmarks measure the most frequent sync, in which nothing changes.
func TestRequestIsSettled(t *testing.T) {
	body := requests.Sync(3)
	controller := Controller(Config{})
	response, err := controller.Sync.Handle(controller.Parent, bytes.NewReader(body), metav1.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var request struct{ Parent struct{ Status any } }
	var desired struct{ Status any }
	if err := errors.Join(json.Unmarshal(body, &request), json.Unmarshal(response.Body, &desired)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(request.Parent.Status, desired.Status); diff != "" {
		t.Errorf("the response changes the status (-request +response):\n%s", diff)
	}
}
