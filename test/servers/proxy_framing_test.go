//go:build servers

package servers

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestProxyNeverShiftsResponses sends commands that fail without waiting in between, because servers refuse them or are down: each command
// has as many responses as from one memcached. A command with q has at most as many, or an error.
func TestProxyNeverShiftsResponses(t *testing.T) {
	options := []string{"-o", "no_lru_maintainer,slab_chunk_max=64", "-I", strconv.Itoa(maxItem), "-m", "1024"}
	four, one := addresses(startServers(t, 4, options...)), startServers(t, 1, options...)[0]
	down := freeAddress(t)
	seed := randomSeed()
	g, start, count := generator{rand.New(rand.NewPCG(seed, 0))}, time.Now(), 0
	for _, each := range []struct {
		state    string
		from, to []string
	}{
		{"all servers respond", four[:2], four[2:]},
		{"a server before the change is down", []string{four[0], down}, four[2:]},
		{"a server after the change is down", four[:2], []string{four[2], down}},
		{"a server that stays is down", []string{four[0], down, four[1]}, []string{four[2], down, four[3]}},
		{"all servers before the change are down", []string{down}, four[:1]},
	} {
		for i, proxy := range startPhases(t, each.from, each.to) {
			for range *proxySequences / 60 {
				s := g.burst()
				count += len(s.steps)
				check := func(s sequence) string { return s.shifts(one.address, proxy) }
				if shift := check(s); shift != "" {
					t.Errorf("%s, proxy %d, -proxy-seed=%d: %s", each.state, i, seed, s.shortest(shift, check))
					break
				}
			}
		}
	}
	fmt.Printf("proxy: %d random commands through proxies whose servers refuse them, or are down, have their responses with -proxy-seed=%d (%.0f s)\n", count, seed, time.Since(start).Seconds())
}

// burst returns commands for one connection.
func (g generator) burst() sequence {
	s := sequence{seed: g.Uint64()}
	for range 1 + g.IntN(20) {
		c := g.command(sequenceKeys[g.IntN(len(sequenceKeys))])
		if (!c.unlike() || c.removes()) && (!c.stores || strings.Contains(strings.Join(c.words, " "), "{size}")) { // the next line could be a part of the value
			s.steps = append(s.steps, step{request: c})
		}
	}
	return s
}

// shifts returns which command does not have its number of responses, or nothing.
func (s sequence) shifts(one, proxy string) string {
	marked := sequence{seed: s.seed}
	for i, each := range s.steps {
		each.alone = false
		marker := request{words: []string{"mg", "none", fmt.Sprintf("Oafter%d", i)}, spacing: " ", end: "\r\n"}
		marked.steps = append(marked.steps, each, step{request: marker})
	}
	runs++
	want, got := marked.play(to(one, nil)), marked.play(to(proxy, nil))
	if len(s.steps) == 0 {
		return ""
	}
	for i, each := range s.steps {
		marker := fmt.Sprintf("EN Oafter%d\r\n", i)
		before, after, found := strings.Cut(got[0], marker)
		expected, rest, _ := strings.Cut(want[0], marker)
		n, m := responsesIn(before), responsesIn(expected)
		if !found || strings.Contains(before, "lua") || n != m && (!each.quiet() || n > max(m, 1)) {
			return fmt.Sprintf("%s: got %s, want %s", brief(each.text()), brief(before), brief(expected))
		}
		got[0], want[0] = after, rest
	}
	return ""
}

// responsesIn returns the number of responses. A get has one for all its keys.
func responsesIn(text string) int {
	n := 0
	for text != "" {
		line, rest, _ := strings.Cut(text, "\r\n")
		words := strings.Fields(line)
		size := -1
		switch {
		case len(words) > 3 && words[0] == "VALUE":
			size, _ = strconv.Atoi(words[3])
		case len(words) > 1 && words[0] == "VA":
			size, _ = strconv.Atoi(words[1])
			n++
		default:
			n++
		}
		text = rest[min(size+2, len(rest))*min(1, size+1):]
	}
	return n
}
