package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/composite"
	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/memcached/client"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/render"
)

type adviseOptions struct {
	advise.Limits
	file, format               string
	useTLS                     bool
	ca, certificate, key, name string
	auth, user, passwordFile   string
	timeout                    time.Duration
}

func newAdvise() *cobra.Command {
	var options adviseOptions
	command := &cobra.Command{
		Use:   "advise [HOST[:PORT]...] [-f FILE]",
		Short: "Predict how the hit ratio changes with memory, and recommend changes",
		Long: `Predict how the hit ratio of memcached servers would change with more or less memory, and recommend changes. advise works
with any memcached, managed by the operator or not.

advise lists the items of each server once, and watches clients' requests for the duration of --watch (5 minutes by
default). It does not store or delete anything, and does not need a cluster. The servers must be reachable: run advise in a
pod, or forward a port of a pod and use the address 127.0.0.1:PORT. Without PORT, advise uses 11211.

With -f, advise recommends changes to the spec of a Memcached. Without HOST, advise reads the servers from its status.`,
		Example: `  memcached-operator advise 10.0.0.1
  memcached-operator advise --tls --tls-ca=ca.crt sessions-0.sessions.web.svc.cluster.local
  kubectl get memcached NAME -o json | memcached-operator advise --watch=30m -f -`,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command, args)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&options.file, "filename", "f", "", "`file` with a Memcached and its status, or - for standard input")
	flags.VarP(newChoice(&options.format, "text", "text", "json"), "output", "o", "format of the output")
	flags.DurationVar(&options.Watch, "watch", 5*time.Minute, "`duration` for which to watch the requests of clients")
	flags.IntVar(&options.Items, "items", 300_000, "maximum `number` of items per server whose requests are counted; advise samples them at random")
	flags.DurationVar(&options.Listing, "listing-timeout", 2*time.Minute, "maximum `duration` of listing the items of a server, including the wait for another listing")
	flags.DurationVar(&options.timeout, "timeout", 10*time.Second, "timeout of connecting, and of each response")
	flags.BoolVar(&options.useTLS, "tls", false, "connect with TLS")
	flags.StringVar(&options.ca, "tls-ca", "", "`file` with the CAs of the servers (default: the CAs of the system)")
	flags.StringVar(&options.certificate, "tls-cert", "", "`file` with a client certificate")
	flags.StringVar(&options.key, "tls-key", "", "`file` with the key of the client certificate")
	flags.StringVar(&options.name, "tls-server-name", "", "`name` in the certificates of the servers (default: the host of the address)")
	flags.Var(newChoice(&options.auth, "none", "none", "ascii"), "auth", "how to authenticate: ascii for servers with memcached -Y")
	flags.StringVar(&options.user, "user", "", "`name` of the user")
	flags.StringVar(&options.passwordFile, "password-file", "", "`file` with the password, or with user:password lines")
	return command
}

func (o *adviseOptions) run(command *cobra.Command, addresses []string) error {
	if err := o.check(); err != nil {
		return err
	}
	var cache *v1alpha1.Memcached
	if o.file != "" {
		content, err := readFile(o.file, command.InOrStdin())
		if err != nil {
			return err
		}
		if cache, err = parseMemcached(content); err != nil {
			return fmt.Errorf("%s is not a Memcached: %w", o.file, err)
		}
		// The memory of a cache follows from valid fields only.
		input := render.Input{Name: o.file, Content: content}
		if _, err := render.Render(parents.Controllers(memcached.Config{}), []render.Input{input}, render.Options{Now: metav1.Now()}); err != nil {
			return err
		}
		if len(addresses) == 0 {
			addresses = cache.Status.Servers
		}
	}
	if len(addresses) == 0 {
		return usageErrorf("advise requires the host:port of a server, or -f with a Memcached whose status lists servers")
	}
	for i := range addresses {
		if addresses[i] = withPort(addresses[i]); addresses[i] == "" {
			return usageErrorf("argument %d is not the host:port of a server", i+1)
		}
	}
	config, err := o.config(command)
	if err != nil {
		return err
	}
	samples, err := o.read(command, addresses, config)
	if err != nil {
		return err
	}
	report := advise.Of(samples, cache)
	switch out := command.OutOrStdout(); o.format {
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	default:
		return report.WriteText(out)
	}
}

// parseMemcached returns the Memcached of a file.
func parseMemcached(content []byte) (*v1alpha1.Memcached, error) {
	object, err := render.ObjectJSON(content)
	if err != nil {
		return nil, err
	}
	cache, err := composite.DecodeParent[v1alpha1.Memcached](object)
	if err != nil {
		return nil, err
	}
	switch cache.Kind {
	case "Memcached":
		return cache, nil
	case "":
		return nil, errors.New("it has no kind")
	}
	return nil, fmt.Errorf("its kind is %q", cache.Kind)
}

// withPort returns an address with the default port of memcached if it has none, or "" if it is no address. The name of a zone may have any
// character, also one that a terminal executes.
func withPort(address string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	if host, port, err := net.SplitHostPort(address); err == nil && host != "" && port != "" {
		return address
	}
	host := strings.Trim(address, "[]")
	if host == "" || strings.Contains(host, ":") && net.ParseIP(host) == nil {
		return ""
	}
	return net.JoinHostPort(host, "11211")
}

// deadlineTimeouts is the number of timeouts that all responses may take together, without the listing and the requests.
const deadlineTimeouts = 6

// read reads all servers at the same time. The first error ends the others.
func (o *adviseOptions) read(command *cobra.Command, addresses []string, config client.Config) ([]*advise.Sample, error) {
	limit := o.Watch + o.Listing + deadlineTimeouts*o.timeout
	limited, stop := context.WithTimeoutCause(command.Context(), limit, fmt.Errorf("the servers did not respond within %s", limit))
	defer stop()
	ctx, cancel := context.WithCancelCause(limited)
	defer cancel(nil)
	samples := make([]*advise.Sample, len(addresses))
	var all sync.WaitGroup
	all.Go(func() { printProgress(ctx, command.ErrOrStderr(), o.Watch, time.Minute) })
	for i, address := range addresses {
		all.Go(func() {
			sample, err := advise.Read(ctx, address, config, o.Limits)
			if samples[i] = sample; err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return samples, context.Cause(ctx)
}

// printProgress prints how long advise watches, and then at each interval how long it has watched.
func printProgress(ctx context.Context, out io.Writer, watch, interval time.Duration) {
	fmt.Fprintf(out, "Watching the requests of clients for %s.\n", watch)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for watched := interval; watched < watch; watched += interval {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			fmt.Fprintf(out, "Watched for %s of %s.\n", watched, watch)
		}
	}
}

// check returns an error for flags that do not fit together.
func (o *adviseOptions) check() error {
	switch {
	case o.Watch < time.Second:
		return usageErrorf("--watch must be at least 1s")
	case o.Items <= 0:
		return usageErrorf("--items must be greater than 0")
	case o.Listing <= 0:
		return usageErrorf("--listing-timeout must be greater than 0")
	case o.timeout <= 0:
		return usageErrorf("--timeout must be greater than 0")
	case o.auth == "none" && o.user+o.passwordFile != "":
		return usageErrorf("--user and --password-file require --auth")
	case o.auth != "none" && o.passwordFile == "":
		return usageErrorf("--auth=%s requires --password-file", o.auth)
	case !o.useTLS && o.ca+o.certificate+o.key+o.name != "":
		return usageErrorf("the --tls-* flags require --tls")
	case (o.certificate == "") != (o.key == ""):
		return usageErrorf("--tls-cert and --tls-key must be set together")
	default:
		return nil
	}
}
