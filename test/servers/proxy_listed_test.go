//go:build servers

package servers

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listed are the commands to which a proxy responds something else than memcached. The C code of the proxy does it, before or after the routes.
var listed = []struct {
	limit string // as in webhook/memcached/proxy/README.md
	is    func(request) bool
}{
	{"A key of more than 250 bytes in `get`, `gets`, `gat` or `gats` returns `CLIENT_ERROR key too long`, and then `END`.", func(c request) bool {
		text := c.text()
		return c.words[0][0] == 'g' && c.alone && (strings.Contains(text, "{x0}") || strings.Contains(text, "{l0}")) // a tab is part of the key
	}},
	{"`gat` of several keys with a non-numeric expiry returns an error for each key, and then `END`.", func(c request) bool {
		return strings.HasPrefix(c.words[0], "gat") && len(c.words) > 3 && c.alone
	}},
	{"`noreply` does not suppress `CLIENT_ERROR bad data chunk`, for a value of another length.", func(c request) bool {
		return c.stores && c.alone && c.words[0] != "ms" && !strings.Contains(strings.Join(c.words, " "), "{size}")
	}},
	{"A value that is larger than `maxItemSize` removes the item, whatever the command.", request.removes},
}

// documented are the differences that comparable hides, and those that the generator leaves out.
var documented = []string{
	"A line that the proxy cannot read returns `CLIENT_ERROR parsing request`, and a rejected meta command returns different text after `CLIENT_ERROR`.",
	"A second flag `q` is not rejected, and text after a `q` is.",
}

// removes reports whether the command has a value that is too large, and would not remove the item of one server.
func (c request) removes() bool {
	conditional := slices.ContainsFunc(c.words, func(word string) bool {
		return strings.HasPrefix(word, "C") || strings.HasPrefix(word, "M") && word != "MS"
	})
	return len(c.value) > maxItem-600 && (conditional || c.words[0] != "ms" && c.words[0] != "set")
}

// unlike reports whether a proxy responds something else.
func (c request) unlike() bool {
	for _, each := range listed {
		if each.is(c) {
			return true
		}
	}
	return false
}

// TestProxyLimitsAreDocumented checks that the page names what the comparison with one memcached leaves out.
func TestProxyLimitsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../webhook/memcached/proxy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	limits := documented
	for _, each := range listed {
		limits = append(limits, each.limit)
	}
	for _, limit := range limits {
		if !strings.Contains(text, "- "+limit) {
			t.Errorf("the README of the proxy has no limit %q", limit)
		}
	}
}

var (
	// uniques finds CAS uniques, ttls the TTLs, and debugging the lines for debugging in responses.
	uniques   = regexp.MustCompile(`(?m)(^VALUE \S+ \d+ \d+ |^(?:HD|VA \d+)\b[^\r]* c)(\d+)`)
	ttls      = regexp.MustCompile(`(?m)(^(?:HD|VA \d+)\b[^\r]* t)(\d+)`)
	debugging = regexp.MustCompile(`(?m)^(ME \S+) [^\r]*`)
	refusals  = regexp.MustCompile(`(?m)^CLIENT_ERROR [^\r]*`)
)

// comparable returns responses without what may differ: CAS uniques of servers, TTLs within some seconds, the lines for debugging,
// a text of the proxy, and why a meta command is refused.
func (c request) comparable(responses string) string {
	if c.alone && c.words[0][0] == 'm' {
		responses = refusals.ReplaceAllString(responses, "CLIENT_ERROR")
	}
	responses = uniques.ReplaceAllStringFunc(responses, func(text string) string {
		parts := uniques.FindStringSubmatch(text)
		if strings.HasPrefix(parts[2], "7700000000") { // a client has set it
			return text
		}
		return parts[1] + "unique"
	})
	responses = ttls.ReplaceAllStringFunc(responses, func(text string) string {
		parts := ttls.FindStringSubmatch(text)
		ttl, _ := strconv.Atoi(parts[2])
		return parts[1] + "10^" + strconv.Itoa(int(math.Round(math.Log10(float64(ttl)))))
	})
	responses = debugging.ReplaceAllString(responses, "$1 ...")
	return strings.ReplaceAll(responses, "CLIENT_ERROR parsing request", "CLIENT_ERROR bad command line format")
}
