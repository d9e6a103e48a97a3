package clients

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var all = flag.Bool("all", false, "also measure rollouts with configurations that manifests/docs/connect.md advises against, for three minutes")

// advisedAgainst are such configurations.
var advisedAgainst = []library{
	{"Django, dead_timeout 60", []string{python, "clients.py", "DjangoDefault"}, "", ""},
	{"python-memcached, dead_retry 30", []string{python, "clients.py", "python_memcached_default"}, "", ""},
	{"spymemcached, Cancel", []string{"java", "-cp", jar + ":$BUILT", "Clients", "Cancel"}, "", ""},
	{"spymemcached, defaults", []string{"java", "-cp", jar + ":$BUILT", "Clients", "default"}, "", ""},
}

// Limits for a library with the configuration of manifests/docs/connect.md. They are longer than what is measured on an idle machine.
const (
	maxOutage = 8 * time.Second
	maxReturn = 45 * time.Second // Perl's Cache::Memcached does not connect again for 20 to 30 seconds
	without   = 3 * time.Second
)

// TestRollouts changes all servers, while each library writes and reads items at one address. Two new proxies replace the two behind this
// address five times, once for each phase. Then there is no proxy for three seconds. Libraries return errors and miss items for a moment, but
// never return an old value.
func TestRollouts(t *testing.T) {
	from, to := startServers(t, 2), startServers(t, 2)
	f := startFront(t)
	proxies := rollout(t, f, nil, steps[0], from, to)
	workers := startWorkers(t, f.address)
	pass(t, workers)
	for _, s := range steps[1:] {
		proxies = rollout(t, f, proxies, s, from, to)
		pass(t, workers)
	}
	changed := reports(workers)
	f.listener.Close()
	stop(t, proxies)
	time.Sleep(without) // this is what the test measures
	rollout(t, f, nil, steps[len(steps)-1], from, to)
	f.open(t)
	opened := time.Now()
	pass(t, workers)

	fmt.Printf("%-34s %9s %7s %12s %22s\n", "five rollouts", "commands", "failed", "longest", "back after no proxies")
	for i, after := range reports(workers) {
		name, change := workers[i].name, changed[i]
		back := after.recovered.Sub(opened)
		fmt.Printf("%-34s %9d %7d %11.2fs %21.2fs\n", name, change.commands, change.failed, change.outage.Seconds(), max(0, back.Seconds()))
		if len(after.wrong) > 0 {
			t.Errorf("%s: %d responses have a value that was replaced before, or of another key: %.500s", name, len(after.wrong), strings.Join(after.wrong, "\n"))
		}
		advised := !slices.ContainsFunc(advisedAgainst, func(l library) bool { return l.name == name })
		if advised && (change.outage > maxOutage || back > maxReturn) {
			t.Errorf("%s: no response for %s in a rollout and for %s after a time without proxies, want at most %s and %s", name, change.outage, back, maxOutage, maxReturn)
		}
	}
}

// rollout starts two proxies, and stops the ones that they replace.
func rollout(t *testing.T, f *front, old []server, s step, from, to []string) []server {
	t.Helper()
	replaced := []server{s.start(t, from, to), s.start(t, from, to)}
	f.set(replaced[0].address, replaced[1].address)
	stop(t, old)
	return replaced
}

// stop sends SIGTERM, as a kubelet.
func stop(t *testing.T, proxies []server) {
	t.Helper()
	for _, p := range proxies {
		if err := p.Stop(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
}

func startWorkers(t *testing.T, address string) []*worker {
	t.Helper()
	tested := slices.DeleteFunc(slices.Clone(libraries), func(l library) bool { return l.name == "memcached of npm" }) // its commands can hang
	if *all {
		tested = append(tested, advisedAgainst...)
	}
	var workers []*worker
	for _, l := range tested {
		w := &worker{name: l.name, driver: startDriver(t, l, address)}
		if _, err := w.driver.do([]any{0, "new"}); err != nil {
			t.Fatal(err)
		}
		go w.run()
		workers = append(workers, w)
	}
	return workers
}

// pass returns when all libraries have used all keys since then without a failure. The warm-up is such a pass: nothing else copies the items.
func pass(t *testing.T, workers []*worker) {
	t.Helper()
	for _, w := range workers {
		limit := time.Minute
		if *all {
			limit = 5 * time.Minute
		}
		deadline := time.Now().Add(limit)
		for want := w.passes.Load() + 2; w.passes.Load() < want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s did not read all keys within %s: %.1000s", w.name, limit, w.last())
			}
		}
	}
}
