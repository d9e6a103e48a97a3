package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
)

// job is one invalid request and its recorded original.
type job struct {
	whole recorded
	body  []byte
}

// sendAll sends every job and calls check for each response. check returns the problem of a response, or "".
func sendAll(ctx context.Context, s *server, jobs func(yield func(job) bool), check func(job, response) string) (tally, []string, error) {
	var responses tally
	var mutex sync.Mutex
	var problems []string
	queue := make(chan job)
	c := newClient(2*runtime.NumCPU(), nil)
	var group sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		group.Go(func() {
			for j := range queue {
				got, err := c.post(ctx, "http://"+s.address+j.whole.path, j.body)
				responses.add(got.code, 0, err)
				problem := check(j, got)
				if problem == "" {
					continue
				}
				mutex.Lock()
				problems = append(problems, problem)
				mutex.Unlock()
			}
		})
	}
	jobs(func(j job) bool {
		queue <- j
		return ctx.Err() == nil
	})
	close(queue)
	group.Wait()
	if n := responses.except(http.StatusOK, 400, 413, 422); n > 0 {
		return tally{}, nil, errors.Join(fmt.Errorf("%d responses have other codes than 200, 400, 413, 422: %v", n, responses.codes), responses.first)
	}
	return tally{codes: responses.codes, took: responses.took}, problems, ctx.Err()
}

func truncations(ctx context.Context, s suite) ([]result, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	all, err := fixtures()
	if err != nil {
		return nil, err
	}
	step, where := 1, "after every byte"
	if !s.long {
		step, where = 17, "after every 17th byte"
	}
	jobs := func(yield func(job) bool) {
		for _, f := range all {
			for length := 0; length < len(f.body); length += step {
				if !yield(job{f, f.body[:length]}) {
					return
				}
			}
		}
	}
	responses, problems, err := sendAll(ctx, server, jobs, func(_ job, got response) string {
		if got.code == http.StatusOK {
			return "accepted"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return []result{{
		fmt.Sprintf("%d recorded requests truncated %s", len(all), where),
		fmt.Sprintf("%d × 200 of %d, process alive: %t", len(problems), responses.total(), server.alive()),
		"0 × 200, alive", len(problems) == 0 && server.alive(),
	}}, nil
}

func mutations(ctx context.Context, s suite) ([]result, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	all, err := fixtures()
	if err != nil {
		return nil, err
	}
	whole := map[string]response{}
	c := newClient(1, nil)
	for _, f := range all {
		got, err := c.post(ctx, "http://"+server.address+f.path, f.body)
		if err != nil || got.code != http.StatusOK {
			return nil, fmt.Errorf("%s: the original request got %d %s: %w", f.path, got.code, got.body, err)
		}
		whole[string(f.body)] = got
	}
	random := rand.New(rand.NewPCG(1, uint64(len(all)))) // the same mutations in every run
	count := 10_000
	if s.long {
		count = 300_000
	}
	jobs := func(yield func(job) bool) {
		for i := range count {
			f := all[random.IntN(len(all))]
			body := mutateBytes(random, f.body)
			if i%2 == 0 {
				body = mutateMember(random, f.body)
			}
			if !yield(job{f, body}) {
				return
			}
		}
	}
	responses, problems, err := sendAll(ctx, server, jobs, func(j job, got response) string {
		if got.code != http.StatusOK {
			return ""
		}
		return harm(j.whole, whole[string(j.whole.body)].body, j.body, got.body)
	})
	if err != nil {
		return nil, err
	}
	results := []result{{
		fmt.Sprintf("%d random mutations of %d recorded requests", count, len(all)),
		fmt.Sprintf("%d harmful of %d × 200, process alive: %t", len(problems), responses.codes[http.StatusOK], server.alive()),
		"0 harmful, alive", len(problems) == 0 && server.alive(),
	}}
	for _, problem := range problems[:min(len(problems), 10)] {
		results = append(results, result{"problem", problem, "", false})
	}
	return results, nil
}

func nesting(ctx context.Context, s suite) ([]result, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return nil, err
	}
	defer server.kill()
	all, err := fixtures()
	if err != nil {
		return nil, err
	}
	refused, tried := 0, 0
	c := newClient(1, nil)
	for _, depth := range []int{10_001, 100_000, 5_000_000} {
		for _, level := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			deep := strings.Repeat(level[0], depth) + "1" + strings.Repeat(level[1], depth)
			for _, place := range []string{`{"future":`, `{"parent":`, `{"related":`} {
				body := bytes.Replace(all[0].body, []byte("{"), []byte(place+deep+","), 1)
				got, err := c.post(ctx, "http://"+server.address+all[0].path, body)
				if err != nil {
					return nil, err
				}
				tried++
				if got.code >= 400 && got.code < 500 {
					refused++
				}
			}
		}
	}
	return []result{{
		"10,001 to 5,000,000 levels",
		fmt.Sprintf("%d of %d refused, process alive: %t", refused, tried, server.alive()),
		"all refused, alive", refused == tried && server.alive(),
	}}, nil
}
