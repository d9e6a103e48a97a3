package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	manyObjects = 1000
	// maxGrowth limits the memory of a hook for one request, in multiples of the request.
	maxGrowth = 20
	maxTries  = 3
)

var thousandObjects = Check{
	ID:    "thousand-objects",
	Looks: "a request with 1,000 related objects or children: the time, at most half of the timeout, and the memory, 20 times the request",
	Why:   "Metacontroller keeps repeating a sync that is too slow. A hook that is killed for its memory serves none of its parents.",
	once:  true,
	run: func(s *Subject, e *exchange) []string {
		request, part := multiplied(e.Request, s.maxBytes()/2)
		if part == "" {
			return nil
		}
		peak := func() int64 { return 0 }
		if s.Peak != nil {
			peak = s.Peak
		}
		body, before := encode(request), peak()
		response, limit := s.post(e.Case, body), timeoutOf(e)/2
		for try := 1; try < maxTries && response.answer != nil && response.Took > limit; try++ { // a busy machine is no slow hook
			response = s.post(e.Case, body)
		}
		var problems []string
		if response.answer != nil && response.Took > limit {
			problems = append(problems, fmt.Sprintf("%s takes %s for %d objects, more than %s", e.Hook, response.Took.Round(time.Millisecond), manyObjects, limit))
		}
		if response.Err != nil {
			problems = append(problems, fmt.Sprintf("%s does not respond for %d objects: %v", e.Hook, manyObjects, response.Err))
		} else if refuses := part == "children" && response.Code/100 == 4; response.answer == nil && !refuses { // a hook may know that no parent has so many
			problems = append(problems, fmt.Sprintf("%s returns %d for %d objects: %.200s", e.Hook, response.Code, manyObjects, response.Body))
		}
		if grown := peak() - before; grown > maxGrowth*int64(len(body)) {
			problems = append(problems, fmt.Sprintf("%s needs %d MiB of memory for a request of %d MiB", e.Hook, grown>>20, len(body)>>20))
		}
		return problems
	},
}

// multiplied returns a request with many copies, but of so many bytes, of a related object, or of a child if there is none, and the part of the request that has
// them; "" if there is neither. The kind is the one that has the most objects: in a real request, it has a thousand sooner than another one.
func multiplied(original map[string]any, maxBytes int) (map[string]any, string) {
	request := clone(original)
	for _, part := range []string{"related", "children"} {
		groups := object(request[part])
		kinds := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
			return cmp.Or(len(object(groups[b]))-len(object(groups[a])), strings.Compare(a, b))
		})
		if len(kinds) == 0 || len(object(groups[kinds[0]])) == 0 {
			continue
		}
		group := object(groups[kinds[0]])
		key := slices.Min(slices.Collect(maps.Keys(group)))
		for i := range min(manyObjects, maxBytes/len(encode(group[key]))) {
			copied := object(clone(group[key]))
			metadata := object(copied["metadata"])
			metadata["name"] = fmt.Sprintf("%s-%d", text(group[key], "metadata", "name"), i)
			metadata["uid"] = fmt.Sprintf("00000000-0000-4000-8001-%012d", i)
			group[fmt.Sprintf("%s-%d", key, i)] = copied
		}
		return request, part
	}
	return nil, ""
}

// timeoutOf returns the timeout of a hook in the CompositeController; by default 10 s.
func timeoutOf(e *exchange) time.Duration {
	timeout, err := time.ParseDuration(text(e.Request, "controller", "spec", "hooks", e.Hook, "webhook", "timeout"))
	if err != nil || timeout <= 0 {
		return 10 * time.Second
	}
	return timeout
}
