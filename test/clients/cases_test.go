package clients

import (
	"fmt"
	"strconv"
	"strings"
)

// A testCase is what the clients a and b do with each of its keys. The keys are missing before, and in a second run they have the value 7.
//
//	K    the key
//	L    the key with 250 bytes, the longest
//	T    the key with 251 bytes
//	ALL  all keys of the case
//
// A value @N has N bytes.
type testCase struct {
	name string
	keys int
	each string
	// end is done once, after the other operations.
	end string
}

// refused are cases with commands that a server refuses with CLIENT_ERROR. Then a proxy closes its connection to this server, and a command
// that waits on this connection fails (webhook/memcached/proxy/README.md). So a key can be missing, or keep its value, but no command gets the
// response to another one.
var refused = []string{
	"a text that is counted", "a text that is counted, not awaited", "a key that is too long", "a key that is too long, not awaited",
}

// skipped has cases for which a library responds differently each time, also with one memcached.
var skipped = map[string]map[string]string{
	"spymemcached": {
		"a text that is counted":              "connects again after each error, which takes seconds",
		"a text that is counted, not awaited": "connects again after each error, which takes seconds",
		"failures, not awaited":               "connects again after each error, which takes seconds",
	},
	"memcached of npm": {
		"values that are too large": "does not use a server for a moment after some errors",
	},
}

const few = 4

var testCases = []testCase{
	{"set", few, "a get K; a set K v1; b get K; b set K v2; a get K", ""},
	{"add", few, "a add K v1; b get K; b add K v2; a get K", ""},
	{"replace", few, "a replace K v1; b replace K v2; a get K", ""},
	{"append and prepend", few, "a append K x; b prepend K y; a get K", ""},
	{"delete", few, "a delete K; b get K; b delete K; a get K; a add K v1; b get K", ""},
	{"counters", few, "a incr K 5; b decr K 2; a get K; b incr K 100; b decr K 1000; a get K", ""},
	{"cas", few, "a gets K; a cas K v1; b get K; a cas K v2; b get K", ""},
	{"cas after another change", few, "a set K v1; a gets K; b set K v2; a cas K v3; a get K", ""},
	{"touch", few, "a touch K 100; b get K; b touch K 1000; a get K", ""},
	{"an empty value", few, `a set K ""; b get K`, ""},
	{"a value that looks like a response", few, "a set K RESPONSE; b get K; a get K", ""},
	{"the longest key", few, "a set L v1; b get L; a delete L; b get L", ""},
	{"a key that is too long", few, "a delete T; a get K; a incr T 1; a get K; b get K", ""},
	{"200 keys", 200, "", "a get_multi ALL; b get_multi ALL"},
	{"200 new values", 200, "a set K v1", "a get_multi ALL; b get_multi ALL"},
	{"large values", 2, "a set K @900000; b get K; b append K x; a get K; a delete K; b get K", ""},
	{"values that are too large", 2, "a set K @1200000; a get K; b get K; b set K v1; a get K", ""},
	{"a new connection", few, "a set K v1; a close; a get K; b close; b get K", ""},
	{"set, not awaited", few, "a set! K v1; a get K; b get K", ""},
	{"sets, not awaited", few, "a set! K v1; a set! K v2; a set! K v3; a get K; b get K", ""},
	{"delete, not awaited", few, "a delete! K; a get K; b get K", ""},
	{"set and delete, not awaited", few, "a set! K v1; a delete! K; a get K; b get K", ""},
	{"delete and add, not awaited", few, "a delete! K; a add! K v1; a get K; b get K", ""},
	{"add and append, not awaited", few, "a add! K 1; a append! K 2; a get K; b get K", ""},
	{"counters, not awaited", few, "a set! K 1; a incr! K 5; a decr! K 2; a get K; b get K", ""},
	{"200 sets, not awaited", 200, "a set! K v1", "a get_multi ALL; b get_multi ALL"},
	{"values that are too large, not awaited", 2, "a set! K @1200000; a get K; a set K v1; a get K; b get K", ""},
	{"a key that is too long, not awaited", few, "a delete! T; a get K; a incr! T 1; b get K", ""},
	{"a text that is counted", few, "a set K text; a incr K 1; a get K; b get K", ""},
	{"a text that is counted, not awaited", few, "a set K text; a incr! K 1; a get K; b get K", ""},
	{"failures, not awaited", few, "a replace! K v1; a add! K v2; a delete! K; a delete! K; a incr! K 1; a get K; b get K", ""},
}

// key returns key i of a case. Each run has its own keys, of the same length.
func key(prefix string, i int) string { return fmt.Sprintf("%s%03d", prefix, i) }

// requests returns the requests of a case, and for each the operation that it is for, with its number.
func (c testCase) requests(prefix string) (requests [][]any, operations []string) {
	requests, operations = [][]any{{0, "new"}}, []string{"0 new clients"}
	add := func(text string, i int) {
		for step, operation := range strings.Split(text, "; ") {
			if operation != "" {
				requests, operations = append(requests, c.request(operation, prefix, i)), append(operations, fmt.Sprint(step+1, " ", operation))
			}
		}
	}
	for i := range c.keys {
		add(c.each, i)
	}
	add(c.end, 0)
	return requests, operations
}

func (c testCase) request(operation, prefix string, i int) []any {
	words := strings.Fields(operation)
	request := []any{strings.Index("ab", words[0]), words[1]}
	k := key(prefix, i)
	for _, word := range words[2:] {
		number, notNumber := strconv.Atoi(word)
		switch {
		case word == "K":
			request = append(request, k)
		case word == "L":
			request = append(request, padded(k, 250))
		case word == "T":
			request = append(request, padded(k, 251))
		case word == "ALL":
			var all []string
			for i := range c.keys {
				all = append(all, key(prefix, i))
			}
			request = append(request, all)
		case word == "RESPONSE":
			request = append(request, "\r\nEND\r\n\x00")
		case word == `""`:
			request = append(request, "")
		case word[0] == '@':
			n, _ := strconv.Atoi(word[1:])
			request = append(request, padded(k, n))
		case notNumber == nil && strings.Contains("incr! decr! touch!", words[1]):
			request = append(request, number)
		default:
			request = append(request, word)
		}
	}
	return request
}

func padded(text string, n int) string { return text + strings.Repeat("x", n-len(text)) }
