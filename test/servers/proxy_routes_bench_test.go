//go:build servers

package servers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkRoutes prints the requests to servers for each command on a key that moves, and throughput and p99 of 16 clients when three servers
// become four, relative to get without a change: medians of rounds in which all phases take turns.
//
//	MEMCACHED=/path/to/memcached go test -tags servers ./test/servers -run '^$' -bench Routes -benchtime 1x -v
func BenchmarkRoutes(b *testing.B) {
	b.Logf("%-10s %-8s  requests, item absent, on from, on to", "phase", "command")
	for _, phase := range changing {
		for i, counts := range requestsIn(b, phase) {
			b.Logf("%-10s %-8s  %s", phase, strings.Fields(counted[i])[0], counts)
		}
	}
	servers := addresses(startServers(b, 4))
	proxies, clients := map[string]server{}, map[string][]*client{}
	for _, phase := range append(changing, "before", "after") {
		proxies[phase] = startConfigured(b, configBetween(phase, servers[:3], servers), "-t", "2")
		clients[phase] = connectAll(b, []string{proxies[phase].address}, 16)
	}
	measured := make([]figures, len(steps))
	for round := range 15 {
		for i, step := range steps {
			measured[i].add(b, proxies[step.phase], clients[step.phase], fmt.Sprint("key", round), step.command)
		}
	}
	base := measured[1]
	b.Logf("%-24s %10s %10s %10s", "", "throughput", "p99", "CPU")
	for i, step := range steps {
		f := measured[i]
		b.Logf("%-24s %9.2fx %9.1fx %8.1fµs", step.name, median(f.throughput)/median(base.throughput), median(f.p99)/median(base.p99), median(f.cpu))
	}
}

// changing has the phases in which proxies know the servers of two sizes.
var changing = []string{"announcing", "preparing", "warming", "closing"}

// counted has the commands whose requests are counted.
var counted = []string{"get k", "gat 0 k", "touch k 0", "incr k 1", "append k 0 0 1\r\n1", "set k 0 0 1\r\n1", "add k 0 0 1\r\n1", "delete k"}

// steps follow each other in a change of size. The first one gives the servers the items.
var steps = []struct{ name, phase, command string }{
	{"no resize, set", "before", "set"},
	{"no resize, get", "before", "get"},
	{"announcing, get", "announcing", "get"},
	{"announcing, set", "announcing", "set"},
	{"preparing, get", "preparing", "get"},
	{"preparing, set", "preparing", "set"},
	{"warming, get that moves", "warming", "get"},
	{"warming, get", "warming", "get"},
	{"warming, set", "warming", "set"},
	{"closing, get", "closing", "get"},
	{"closing, set", "closing", "set"},
	{"after, get", "after", "get"},
}

// figures has a value for each round.
type figures struct{ throughput, p99, cpu []float64 }

// add sends a round of commands.
func (f *figures) add(b *testing.B, p server, clients []*client, key, command string) {
	b.Helper()
	start, used := time.Now(), p.cpu(b)
	latencies := exchange(b, clients, key, command, 250, 500)
	took := time.Since(start)
	f.throughput = append(f.throughput, float64(len(latencies))/took.Seconds())
	f.p99 = append(f.p99, float64(p99(latencies)))
	f.cpu = append(f.cpu, float64((p.cpu(b)-used).Microseconds())/float64(len(latencies)))
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// requestsIn returns how many requests a proxy sends for each command on a key that moves from one server to another.
func requestsIn(b *testing.B, phase string) (all []string) {
	b.Helper()
	servers := addresses(startServers(b, 2))
	from, to := dialClient(b, servers[0]), dialClient(b, servers[1])
	warming := dialClient(b, startConfigured(b, configBetween("warming", servers[:1], servers)).address)
	relays := []*relay{startRelay(b, servers[0], nil), startRelay(b, servers[1], nil)}
	through := []string{relays[0].address(), relays[1].address()}
	p := dialClient(b, startConfigured(b, configBetween(phase, through[:1], through)).address)
	for _, command := range counted {
		var counts []string
		for at := range 3 {
			from.must(b, "md k\r\n")
			to.must(b, "md k\r\n")
			if at > 0 {
				from.must(b, "set k 0 0 1\r\n1\r\n")
			}
			if at > 1 {
				warming.must(b, "get k\r\n")
			}
			before := relays[0].requests.Load() + relays[1].requests.Load()
			p.must(b, command+"\r\n")
			counts = append(counts, strconv.FormatInt(relays[0].requests.Load()+relays[1].requests.Load()-before, 10))
		}
		all = append(all, strings.Join(counts, " / "))
	}
	return all
}
