package faults

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTruncation checks that a hook refuses a request that is cut off: the smallest request of each hook after every byte,
// the other requests at 10 places, or with -long after every byte.
func TestTruncation(t *testing.T) {
	handler := newHandler()
	all, smallest := recordings(t)
	var sent atomic.Int64
	concurrently(all, func(_ int, r recorded) {
		step := len(r.body)/10 + 1
		if *long || &r.body[0] == &smallest[r.path].body[0] {
			step = 1
		}
		for length := 0; length < len(r.body); length += step {
			sent.Add(1)
			if got := post(handler, r.path, r.body[:length]); !isRefusal(got) {
				t.Errorf("%s cut off after %d of %d bytes: got %d %.200s", r.path, length, len(r.body), got.Code, got.Body)
			}
		}
	})
	t.Logf("%d recorded requests, cut off at %d places", len(all), sent.Load())
}

// TestMutation checks that no random mutation of a request makes Metacontroller delete or change a wrong object. The mutations
// are the same in every run.
func TestMutation(t *testing.T) {
	handler := newHandler()
	all, _ := recordings(t)
	var sent, accepted atomic.Int64
	concurrently(all, func(i int, r recorded) {
		whole := post(handler, r.path, r.body)
		original, err := newExchange(r.path, r.body, whole.Body.Bytes())
		if whole.Code != http.StatusOK || err != nil {
			t.Errorf("%s: the recorded request got %d %s: %v", r.path, whole.Code, whole.Body, err)
			return
		}
		count := 1 + 30_000/len(r.body) // about the same time for each request
		if *long {
			count = 2700 // about 300,000 in total
		}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for n := range count {
			body := mutateBytes(random, r.body)
			if n%2 == 0 {
				body = mutateMember(random, r.body)
			}
			sent.Add(1)
			switch got := post(handler, r.path, body); got.Code {
			case http.StatusOK:
				accepted.Add(1)
				mutated, err := newExchange(r.path, body, got.Body.Bytes())
				if problem := harm(original, mutated); problem != "" || err != nil {
					t.Errorf("recording %d, mutation %d: %s: %s %v", i, n, r.path, problem, err)
				}
			case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
			default:
				t.Errorf("recording %d, mutation %d: %s: got %d %s", i, n, r.path, got.Code, got.Body)
			}
		}
	})
	t.Logf("%d mutations of %d recorded requests, %d × 200", sent.Load(), len(all), accepted.Load())
}

// TestNesting checks that a hook refuses deep nesting. A recursive decoder would overflow the stack, which ends the process.
func TestNesting(t *testing.T) {
	handler := newHandler()
	_, smallest := recordings(t)
	depths := []int{10_001, 1_000_000}
	if *long {
		depths = append(depths, 5_000_000)
	}
	for _, depth := range depths {
		for _, level := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			deep := strings.Repeat(level[0], depth) + "1" + strings.Repeat(level[1], depth)
			for path, r := range smallest {
				for _, place := range []string{"future", "parent", "related"} {
					body := bytes.Replace(r.body, []byte("{"), []byte(`{"`+place+`":`+deep+","), 1)
					if got := post(handler, path, body); !isRefusal(got) {
						t.Errorf("%s: %d levels of %s in %s: got %d %.200s", path, depth, level[0], place, got.Code, got.Body)
					}
				}
			}
		}
	}
}
