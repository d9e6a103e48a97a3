package check

import (
	"bytes"
	"cmp"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/example/memcached-operator/webhook/merge"
)

var sameResponse = Check{
	ID:    "same-response",
	Looks: "the same request three times, in parallel, with the observed objects in other orders: the responses are the same",
	Why:   "The caches of Metacontroller have no order. A response that differs is a write, which causes the next sync (GoogleCloudPlatform/metacontroller#171).",
	run: func(s *Subject, e *exchange) []string {
		var path string
		for range 3 { // a time in the response may change between two requests, but not at each attempt
			answers := s.inParallel(e.Case)
			path = ""
			for _, answer := range answers {
				var differs bool
				if path, differs = merge.Changed(answers[0], answer); differs {
					path = cmp.Or(path, "the status code")
					break
				}
			}
			if path == "" {
				return nil
			}
		}
		return []string{"responses of " + e.Hook + " to the same request differ: " + path}
	},
}

// inParallel returns the responses to the same request three times, in parallel, without those of a hook that is busy. If fewer than two remain, it
// waits and tries again.
func (s *Subject) inParallel(c Case) []map[string]any {
	for tries := 1; ; tries++ {
		exchanges := make([]*exchange, 3)
		var all sync.WaitGroup
		for i := range exchanges {
			body := shuffle(rand.New(rand.NewPCG(1, uint64(i))), c.Request, 2)
			all.Go(func() { exchanges[i] = s.try(c, body) })
		}
		all.Wait()
		var answers []map[string]any
		for _, each := range exchanges {
			if each.Code != http.StatusTooManyRequests {
				answers = append(answers, ordered(each.answer))
			}
		}
		if len(answers) > 1 || s.Wait == nil || tries == 5 {
			return answers
		}
		s.Wait()
	}
}

// ordered returns a response with its children sorted, because Metacontroller ignores their order, and without the time of the next sync,
// which may come closer.
func ordered(answer map[string]any) map[string]any {
	answer = maps.Clone(answer)
	delete(answer, "resyncAfterSeconds")
	if children := list(answer["children"]); children != nil {
		answer["children"] = slices.SortedFunc(slices.Values(children), func(a, b any) int { return strings.Compare(identity(a), identity(b)) })
	}
	return answer
}

func identity(child any) string { return NameOf(child) + text(child, "metadata", "namespace") }

// shuffle encodes a request with its parts, their groups, and the objects of each in random order. Metacontroller sorts the members of
// each object.
func shuffle(random *rand.Rand, value any, depth int) []byte {
	members, isObject := value.(map[string]any)
	if !isObject || depth < 0 {
		return encode(value)
	}
	keys := slices.Collect(maps.Keys(members))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	parts := make([][]byte, 0, len(keys))
	for _, key := range keys {
		parts = append(parts, append(append(encode(key), ':'), shuffle(random, members[key], depth-1)...))
	}
	return append(append([]byte{'{'}, bytes.Join(parts, []byte{','})...), '}')
}
