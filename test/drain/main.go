// Drain measures what a cache with proxies loses while its servers are drained, deleted or restarted. A second cache, the control, has
// the same spec and the same load, and is not changed.
//
//	go run ./test/drain --memcached cache --control control --action drain
//
// The program uses kubectl with its current context, and connects to the proxies of both caches: to their pods, or to --address and
// --control-address. It changes the items of both caches, and evicts all pods of the drained nodes, so use a cluster for tests. Keep the
// control on other nodes, by spec.nodeSelector.
//
// It prints the hit ratios of each second, and the items of the control that the cache still has. It exits with 1 if a goal is missed.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/text"
)

// options are the flags.
type options struct {
	namespace, memcached, control string
	address, controlAddress       string
	tlsDirectory, tlsName         string
	action, patch, controlPatch   string
	controlDirect, deletes        bool
	svg, svgTitle                 string
	svgPhases, svgPhasesTitle     string
	curveNames                    [paired.Caches]string
	items, reads                  int
	fill                          float64
	fillTime, steady, timeout     time.Duration
	kill                          time.Duration
	killCommands                  []string
	seed                          uint64
	lose                          losing
	goals                         goals
}

func main() {
	var o options
	flag.StringVar(&o.namespace, "namespace", "default", "`namespace` of both caches")
	flag.StringVar(&o.memcached, "memcached", "", "`name` of the Memcached whose servers are stopped")
	flag.StringVar(&o.control, "control", "", "`name` of the Memcached that does not change")
	flag.StringVar(&o.address, "address", "", "comma-separated `host:port` of the proxies; by default, the addresses of their pods")
	flag.StringVar(&o.controlAddress, "control-address", "", "the same of the control")
	flag.StringVar(&o.tlsDirectory, "tls", "", "`directory` with the CA of the proxies in ca.crt, and a client certificate in tls.crt and tls.key; empty without TLS")
	flag.StringVar(&o.tlsName, "tls-server-name", "", "`name` in the certificates of the proxies; by default, their address")
	flag.StringVar(&o.action, "action", "drain", "drain each node with a server, delete each server, restart the StatefulSet, patch the Memcached, lose nodes, or none")
	flag.StringVar(&o.patch, "patch", "", "JSON merge `patch` of the Memcached for --action patch")
	o.lose.addFlags()
	flag.BoolVar(&o.controlDirect, "control-statefulset", false, "the control is a StatefulSet with a headless Service of its name, whose pods clients use without proxies")
	flag.StringVar(&o.controlPatch, "control-patch", "", "strategic merge `patch` of the control if it is a StatefulSet, otherwise JSON merge patch")
	flag.StringVar(&o.svg, "svg", "", "`file` for a picture of the hit ratios of each second, with the items that count apart")
	flag.StringVar(&o.svgPhases, "svg-phases", "", "`file` for a picture of the phases and pods of the Memcached")
	flag.StringVar(&o.svgTitle, "svg-title", "", "`title` of the picture of the hit ratios")
	flag.StringVar(&o.svgPhasesTitle, "svg-phases-title", "", "`title` of the picture of the phases")
	flag.StringVar(&o.curveNames[paired.Changed], "svg-name", "", "`name` of the cache in the picture; by default, that of the Memcached")
	flag.StringVar(&o.curveNames[paired.Control], "svg-control-name", "", "the same of the control")
	flag.IntVar(&o.items, "items", 200_000, "`number` of items, 675 bytes on average, half of which are never read")
	flag.Float64Var(&o.fill, "fill", 0, "store items for this `factor` of the memory of the servers instead of --items")
	flag.DurationVar(&o.fillTime, "fill-time", 30*time.Second, "minimum `duration` in which the items are stored")
	flag.IntVar(&o.reads, "reads", 3000, "`reads` per second from each cache")
	flag.BoolVar(&o.deletes, "deletes", true, "clients also delete items; without it, only misses of the cache are misses for a dashboard")
	flag.DurationVar(&o.steady, "steady", 10*time.Second, "`duration` of the load before and after the action")
	flag.DurationVar(&o.kill, "kill", 0, "kill a proxy, or the pod of a Job, at random, every `duration`")
	flag.Func("kill-command", "`command` of the shell that --kill also chooses, for example to kill the operator; repeat the flag for several", func(command string) error {
		o.killCommands = append(o.killCommands, command)
		return nil
	})
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of the random choice of what to kill")
	flag.Float64Var(&o.goals.minKept, "min-kept", 0.99, "goal: `share` of the items of the control that are kept")
	flag.Float64Var(&o.goals.maxBehind, "max-behind", 0.5, "goal: `points` by which the hit ratio of each second may be below that of the control")
	flag.DurationVar(&o.timeout, "timeout", time.Hour, "maximum `duration` of everything")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "drain"+withError(err))
		os.Exit(1)
	}
}

// check returns an error for flags that do not fit together.
func (o options) check() error {
	_, known := actions[o.action]
	if o.memcached == "" || o.control == "" || !known {
		return errors.New("--memcached and --control are required, and --action must be drain, delete, restart, patch, lose or none")
	}
	if (o.action == "patch") != (o.patch != "") {
		return errors.New("--action patch and --patch need each other")
	}
	if (o.action == "lose") != (len(o.lose.nodes) > 0 && o.lose.command != "" && o.lose.restore != "") {
		return errors.New("--action lose and --node, --lose-command and --restore-command need each other")
	}
	return nil
}

// tls returns how clients connect; nil without TLS.
func (o options) tls() (*tls.Config, error) {
	if o.tlsDirectory == "" {
		return nil, nil //nolint:nilnil // crypto/tls has no other value for a connection without TLS
	}
	authority, err := os.ReadFile(filepath.Join(o.tlsDirectory, "ca.crt"))
	if err != nil {
		return nil, err
	}
	certificate, err := tls.LoadX509KeyPair(filepath.Join(o.tlsDirectory, "tls.crt"), filepath.Join(o.tlsDirectory, "tls.key"))
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: o.tlsName, RootCAs: x509.NewCertPool(), Certificates: []tls.Certificate{certificate}}
	if !config.RootCAs.AppendCertsFromPEM(authority) {
		return nil, errors.New("ca.crt has no certificate")
	}
	return config, nil
}

func (o options) run(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	c := &cluster{namespace: o.namespace, name: o.memcached, patch: o.patch, lose: o.lose}
	if err := c.await(ctx); err != nil {
		return err
	}
	items := o.items
	if o.fill > 0 {
		bytes, err := c.memory(ctx)
		if err != nil {
			return err
		}
		items = paired.Mixed.ItemsFor(int(o.fill * float64(bytes)))
	}
	secured, err := o.tls()
	if err != nil {
		return err
	}
	l := paired.New(paired.Mixed, items, o.reads)
	l.KeepAll = !o.deletes
	if err := o.connect(ctx, l, secured); err != nil {
		return err
	}
	fmt.Printf("filling both caches with %d items\n", items)
	if err := l.Fill(ctx, o.fillTime); err != nil {
		return err
	}
	c.lose.load = l
	r := &result{Load: l, steps: &steps{}}
	var t timeline
	if o.svgPhases != "" {
		defer t.record(ctx, c)()
	}
	stop := l.Run(ctx)
	r.steps.begin("steady")
	stopPrinting := r.printSeconds(ctx)
	err = wait(ctx, o.steady)
	if err == nil {
		err = o.act(ctx, c, r.steps.begin)
		r.steps.begin(steadyAgain)
	}
	if err == nil {
		err = wait(ctx, o.steady)
	}
	stop()
	stopPrinting()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Minute)
	defer cancel()
	err = errors.Join(err, o.draw(r, &t))
	return errors.Join(err, r.finish(ctx, o.goals))
}

// act changes the cache, and kills meanwhile what --kill and --kill-command name.
func (o options) act(ctx context.Context, c *cluster, begin func(step string)) error {
	if o.controlPatch != "" {
		kind, how := "memcached", "merge"
		if o.controlDirect {
			kind, how = "statefulset", "strategic"
		}
		control := &cluster{namespace: o.namespace, name: o.control}
		if _, err := control.kubectl(ctx, "patch", kind, o.control, "--type", how, "--patch", o.controlPatch); err != nil {
			return err
		}
	}
	defer o.startKilling(ctx, c)()
	return actions[o.action](c, ctx, begin)
}

// startKilling kills every now and then what --kill and --kill-command name.
func (o options) startKilling(ctx context.Context, c *cluster) (stop func()) {
	if o.kill == 0 {
		return func() {}
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	return inBackground(ctx, o.kill, func(ctx context.Context) {
		name, err := c.kill(ctx, random.IntN, o.killCommands)
		fmt.Printf("killed %s%s\n", name, withError(err))
	})
}

// inBackground calls a function again and again, until stop is called.
func inBackground(ctx context.Context, interval time.Duration, each func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for wait(ctx, interval) == nil {
			each(ctx)
		}
	}()
	return func() { cancel(); <-ended }
}

func wait(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}

func withError(err error) string {
	if err == nil {
		return ""
	}
	return ": " + text.Lines(err.Error())
}
