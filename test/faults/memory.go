package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/example/memcached-operator/test/requests"
)

// memoryLimit is the limit of resident bytes for the whole process. The pod's limit is 256 MiB.
const memoryLimit = 200 << 20

// hugeTokens sends five concurrent bodies with one token of 60 MiB each, which a streaming decoder must buffer.
func hugeTokens(ctx context.Context, s suite) ([]result, error) {
	const size = 60 << 20
	string60 := bytes.Repeat([]byte("a"), size)
	space := bytes.Repeat([]byte(" "), size)
	whole := requests.Sync(3)
	rest := string(whole[1:])
	var results []result
	for _, kind := range []struct {
		name   string
		before string
		token  []byte
		after  string
	}{
		{"a skipped string", `{"future":"`, string60, `",` + rest},
		{"a stored string", `{"parent":{"apiVersion":"`, string60, `"}}`},
		{"a name", `{"`, string60, `":1,` + rest},
		{"white space", `{`, space, rest},
	} {
		peak, codes, err := send(ctx, s, 5, func() (io.Reader, int64) {
			return io.MultiReader(strings.NewReader(kind.before), bytes.NewReader(kind.token), strings.NewReader(kind.after)),
				int64(len(kind.before) + len(kind.token) + len(kind.after))
		})
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			"5 × 60 MiB, " + kind.name, fmt.Sprintf("peak %s resident; codes %v", mib(peak), codes.codes),
			"200 MiB; 413 or 429", peak <= memoryLimit && codes.except(413, 429) == 0,
		})
	}
	return results, nil
}

// manyTokens sends five concurrent bodies of 60 MiB in small tokens, which need the most memory when decoded.
func manyTokens(ctx context.Context, s suite) ([]result, error) {
	whole := requests.Sync(3)
	rest := string(whole[1:])
	var results []result
	for _, kind := range []struct {
		name          string
		before, after string
		piece         func(i int) string
	}{
		{"members of one object", `{"future":{`, `"":0},` + rest, func(i int) string { return `"` + strconv.Itoa(i) + `":0,` }},
		{"elements of one array", `{"future":[`, `0],` + rest, func(int) string { return `0,` }},
		{"the smallest pods", `{"related":{"Pod.v1":{`, `"":{"metadata":{"name":"z"}}}}}`, func(i int) string {
			n := strconv.Itoa(i)
			return `"` + n + `":{"metadata":{"name":"` + n + `"}},`
		}},
		{"empty owner references", `{"parent":{"metadata":{"ownerReferences":[`, `{}]}}}`, func(int) string { return `{},` }},
		{"labels of the parent", `{"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","labels":{`, `"":""}}}}`, func(i int) string { return `"` + strconv.Itoa(i) + `":"",` }},
	} {
		var body bytes.Buffer
		body.WriteString(kind.before)
		for i := 0; body.Len() < 60<<20; i++ {
			body.WriteString(kind.piece(i))
		}
		body.WriteString(kind.after)
		peak, codes, err := send(ctx, s, 5, func() (io.Reader, int64) { return bytes.NewReader(body.Bytes()), int64(body.Len()) })
		if err != nil {
			return nil, err
		}
		results = append(results, result{
			"5 × 60 MiB, " + kind.name, fmt.Sprintf("peak %s resident; codes %v", mib(peak), codes.codes),
			"200 MiB", peak <= memoryLimit && codes.except(200, 400, 413, 422, 429) == 0,
		})
	}
	large, err := largest(ctx, s)
	return append(results, large), err
}

// largest checks that the server still accepts the largest syncs of a cluster, two at the same time.
func largest(ctx context.Context, s suite) (result, error) {
	const pods = 8000
	body := requests.Sync(pods)
	peak, codes, err := send(ctx, s, 2, func() (io.Reader, int64) { return bytes.NewReader(body), int64(len(body)) })
	return result{
		fmt.Sprintf("2 × %s, syncs of %d pods", mib(int64(len(body))), pods), fmt.Sprintf("peak %s resident; codes %v", mib(peak), codes.codes),
		"200 MiB; 200", peak <= memoryLimit && codes.except(200) == 0,
	}, err
}

// send sends concurrent bodies to a new server and returns its peak memory and the status codes.
func send(ctx context.Context, s suite, count int, body func() (io.Reader, int64)) (int64, *tally, error) {
	server, err := start(ctx, s.binary)
	if err != nil {
		return 0, nil, err
	}
	defer server.kill()
	codes := new(tally)
	var group sync.WaitGroup
	for range count {
		group.Go(func() {
			reader, length := body()
			got, err := newClient(1, nil).send(ctx, "http://"+server.address+syncPath, reader, length)
			codes.add(got.code, 0, err)
		})
	}
	group.Wait()
	if !server.alive() {
		return 0, nil, fmt.Errorf("the server died: %s", server.logged())
	}
	peak, err := server.memory("VmHWM")
	if err == nil && codes.except() != codes.except(0) {
		err = fmt.Errorf("a client got no response: %w", codes.first)
	}
	return peak, codes, err
}
