//go:build faults

package faults

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/example/memcached-operator/test/requests"
)

// memoryLimit is the limit of resident MiB for the whole process. The pod's limit is 256 MiB.
const memoryLimit = 200

// TestMemory sends concurrent bodies that need much memory: with one token of 60 MiB, which a streaming decoder must buffer;
// with small tokens, whose objects are larger than the body; and the largest syncs of a cluster, which must succeed.
func TestMemory(t *testing.T) {
	rest := string(requests.Sync(3)[1:])
	letters, spaces := strings.Repeat("a", 64<<10), strings.Repeat(" ", 64<<10)
	always := func(piece string) func(int) string { return func(int) string { return piece } }
	refused, mixed := []int{413, 429}, []int{200, 400, 413, 422, 429}
	for _, test := range []struct {
		name, before string
		piece        func(i int) string
		after        string
		codes        []int
	}{
		{"a skipped string", `{"future":"`, always(letters), `",` + rest, refused},
		{"a stored string", `{"parent":{"apiVersion":"`, always(letters), `"}}`, refused},
		{"a name", `{"`, always(letters), `":1,` + rest, refused},
		{"white space", `{`, always(spaces), rest, refused},
		{"members of one object", `{"future":{`, func(i int) string { return `"` + strconv.Itoa(i) + `":0,` }, `"":0},` + rest, mixed},
		{"elements of one array", `{"future":[`, always(`0,`), `0],` + rest, mixed},
		{"the smallest pods", `{"related":{"Pod.v1":{`, func(i int) string {
			n := strconv.Itoa(i)
			return `"` + n + `":{"metadata":{"name":"` + n + `"}},`
		}, `"":{"metadata":{"name":"z"}}}}}`, mixed},
		{"empty owner references", `{"parent":{"metadata":{"ownerReferences":[`, always(`{},`), `{}]}}}`, mixed},
		{"labels of the parent", `{"parent":{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"a","labels":{`, func(i int) string { return `"` + strconv.Itoa(i) + `":"",` }, `"":""}}}}`, mixed},
	} {
		t.Run(test.name, func(t *testing.T) {
			var body bytes.Buffer
			body.WriteString(test.before)
			for i := 0; body.Len() < 60<<20; i++ {
				body.WriteString(test.piece(i))
			}
			body.WriteString(test.after)
			checkMemory(t, 5, body.Bytes(), test.codes...)
		})
	}
	t.Run("syncs of 8,000 pods", func(t *testing.T) { checkMemory(t, 2, requests.Sync(8000), 200) })
}

// checkMemory sends concurrent bodies to a new process, and checks its peak memory and the status codes.
func checkMemory(t *testing.T, count int, body []byte, codes ...int) {
	t.Helper()
	p, c := start(t), newClient(new(http.Transport))
	var group sync.WaitGroup
	for range count {
		group.Go(func() { c.post(p.url(), body) })
	}
	group.Wait()
	c.wantOnly(t, codes...)
	_, peak := p.memory(t)
	t.Logf("%d × %d MiB: codes %v, peak %.0f MiB resident", count, len(body)>>20, c.codes, peak)
	if peak > memoryLimit {
		t.Errorf("the peak is above the limit of %d MiB", memoryLimit)
	}
}
