//go:build servers

package servers

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// BenchmarkRoutes compares the routes with earlier ones, without a change of size and in all phases of one. It prints the
// requests to servers for each command on a key that moves, the memory of a proxy, and throughput and p99 of 16 clients when three servers
// become four. The routes take turns, and the figures are medians of all rounds.
//
//	git show 2d85df8:webhook/memcached/proxy/library.lua >/tmp/library.lua
//	MEMCACHED=/path/to/memcached ROUTES=/tmp/library.lua go test -tags servers ./test/servers -run '^$' -bench Routes -benchtime 1x -v
func BenchmarkRoutes(b *testing.B) {
	earlier, err := os.ReadFile(os.Getenv("ROUTES"))
	if err != nil {
		b.Fatalf("ROUTES is not the path of earlier routes: %v", err)
	}
	both := []*routes{{library: string(earlier)}, {library: proxy.Library}}
	b.Logf("%-10s %-8s  requests before and now, item absent, on the previous, on the current server", "phase", "command")
	for _, phase := range changing {
		before, now := both[0].requests(b, phase), both[1].requests(b, phase)
		for i, command := range counted {
			b.Logf("%-10s %-8s  %-12s %s", phase, strings.Fields(command)[0], before[i], now[i])
		}
	}
	for _, each := range both {
		each.start(b)
	}
	for round := range rounds {
		for _, step := range steps {
			for i := range both {
				both[(i+round)%2].measure(b, step, round)
			}
		}
	}
	b.Logf("peak memory of a proxy after 1,000 concurrent commands of 1 kB: warming %.0f MiB before, %.0f MiB now",
		both[0].memory(b), both[1].memory(b))
	b.Logf("%-24s %13s %13s %6s %10s %10s %6s %10s %10s", "medians of the rounds, before and now", "throughput", "", "ratio", "p99", "", "ratio", "CPU", "")
	for _, step := range steps {
		before, now := both[0].measured[step], both[1].measured[step]
		b.Logf("%-24s %11.0f/s %11.0f/s %5.2fx %8.2fms %8.2fms %5.2fx %8.1fµs %8.1fµs", step.name,
			median(before.throughput), median(now.throughput), median(ratios(now.throughput, before.throughput)),
			median(before.p99), median(now.p99), median(ratios(now.p99, before.p99)), mean(before.cpu), mean(now.cpu))
	}
}

// rounds is how often each version of the routes takes its turn.
const rounds = 15

// changing has the phases in which proxies know the servers of two sizes.
var changing = []string{"announcing", "preparing", "warming", "closing"}

// counted has the commands whose requests are counted.
var counted = []string{"get k", "gat 0 k", "touch k 0", "incr k 1", "append k 0 0 1\r\n1", "set k 0 0 1\r\n1", "add k 0 0 1\r\n1", "delete k"}

// steps follow each other in a change of size. The first one gives the servers the items.
var steps = []benchStep{
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

type benchStep struct{ name, phase, command string }

// figures has a value for each round.
type figures struct{ throughput, p99, cpu []float64 }

// routes is a version of the library.
type routes struct {
	library  string
	proxies  map[string]server
	clients  map[string][]*client
	measured map[benchStep]*figures
}

// start starts servers, and a proxy with 16 clients in each phase.
func (r *routes) start(b *testing.B) {
	b.Helper()
	servers := addresses(startServers(b, 4))
	r.proxies, r.clients, r.measured = map[string]server{}, map[string][]*client{}, map[benchStep]*figures{}
	for _, phase := range append(changing, "before", "after") {
		p := startRoutes(b, r.library, configBetween(phase, servers[:3], servers), "-t", "2")
		r.proxies[phase], r.clients[phase] = p, connectAll(b, []string{p.address}, 16)
	}
}

func (r *routes) measure(b *testing.B, step benchStep, round int) {
	b.Helper()
	start, used := time.Now(), r.proxies[step.phase].cpu(b)
	latencies := exchange(b, r.clients[step.phase], fmt.Sprint("key", round), step.command, 250, 500)
	took := time.Since(start)
	used = r.proxies[step.phase].cpu(b) - used
	if r.measured[step] == nil {
		r.measured[step] = &figures{}
	}
	all := r.measured[step]
	all.throughput = append(all.throughput, float64(len(latencies))/took.Seconds())
	all.p99 = append(all.p99, float64(p99(latencies).Microseconds())/1000)
	all.cpu = append(all.cpu, float64(used.Microseconds())/float64(len(latencies)))
}

// memory returns the peak memory of a proxy with 1,000 concurrent commands.
func (r *routes) memory(b *testing.B) float64 {
	b.Helper()
	servers := addresses(startServers(b, 4))
	p := startRoutes(b, r.library, configBetween("warming", servers[:3], servers), "-t", "4", "-c", "4096")
	clients := connectAll(b, []string{p.address}, 1000)
	for _, command := range []string{"set", "get"} {
		exchange(b, clients, "key", command, 20, 1000)
	}
	_, peak := p.memory(b)
	return peak
}

func ratios(now, before []float64) []float64 {
	var all []float64
	for i := range now {
		all = append(all, now[i]/before[i])
	}
	return all
}

func median(all []float64) float64 {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// requests returns how many requests a proxy sends for each command on a key that moves from one server to another.
func (r *routes) requests(b *testing.B, phase string) []string {
	b.Helper()
	servers := addresses(startServers(b, 2))
	previous, current := dialClient(b, servers[0]), dialClient(b, servers[1])
	warming := dialClient(b, startRoutes(b, r.library, configBetween("warming", servers[:1], servers)).address)
	relays := []*relay{startRelay(b, servers[0], nil), startRelay(b, servers[1], nil)}
	through := []string{relays[0].address(), relays[1].address()}
	p := dialClient(b, startRoutes(b, r.library, configBetween(phase, through[:1], through)).address)
	var all []string
	for _, command := range counted {
		var counts []string
		for at := range 3 {
			previous.must(b, "md k\r\n")
			current.must(b, "md k\r\n")
			if at > 0 {
				previous.must(b, "set k 0 0 1\r\n1\r\n")
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

func mean(all []float64) float64 {
	sum := 0.0
	for _, each := range all {
		sum += each
	}
	return sum / float64(len(all))
}
