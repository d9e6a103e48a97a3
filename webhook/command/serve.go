package command

import (
	"cmp"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/example/memcached-operator/webhook/memcached"
	"github.com/example/memcached-operator/webhook/parents"
	"github.com/example/memcached-operator/webhook/server"
)

// logHandlers are the formats of --log-format.
var logHandlers = map[string]func(io.Writer, *slog.HandlerOptions) slog.Handler{
	"text": func(w io.Writer, options *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, options) },
	"json": func(w io.Writer, options *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, options) },
}

type serveOptions struct {
	server.Config
	caches    memcached.Config
	logLevel  string
	logFormat string
}

func newServe(version string) *cobra.Command {
	options := serveOptions{Config: server.Config{Version: version}}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Serve the hooks of Metacontroller over HTTP",
		Long: `Serve the hooks of Metacontroller over HTTP or HTTPS. After SIGTERM or SIGINT, finish the requests in flight and exit.

Health (/healthz, /readyz) and metrics (/metrics) have a separate address. After a change of --operator-image, existing pods
keep their image until their template changes for another reason.`,
		Example: `  memcached-operator serve --address :8080
  memcached-operator serve --address :8443 --tls-cert tls.crt --tls-key tls.key`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return options.run(command)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Address, "address", ":8080", "`host:port` to listen on for Metacontroller")
	flags.StringVar(&options.OpsAddress, "ops-address", ":8081", "`host:port` of /healthz, /readyz and /metrics; empty to disable them")
	options.addTLS(flags)
	options.addLimits(flags)
	addCaches(flags, &options.caches)
	flags.Var(newChoice(&options.logLevel, "info", "debug", "info", "warn", "error"), "log-level", "minimum level of log lines")
	flags.Var(newChoice(&options.logFormat, "text", "text", "json"), "log-format", "format of log lines")
	return command
}

// gcPercent makes the garbage collector run twice as often as by default: five concurrent syncs of 1,000 pods need 3 MiB less, and 5% more
// CPU time.
const gcPercent = 50

// minThreads is how many threads run Go code at the same time, at least, even on one CPU: while one builds objects, another one refuses requests.
const minThreads = 2

func (o *serveOptions) run(command *cobra.Command) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if runtime.GOMAXPROCS(0) < minThreads {
		runtime.GOMAXPROCS(minThreads)
	}
	if err := o.Check(); err != nil {
		return usageError{err}
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return err
	}
	o.Logger = slog.New(logHandlers[o.logFormat](command.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	o.caches.ClusterDomain = cmp.Or(o.caches.ClusterDomain, searchedDomain(resolverFile))
	o.Controllers = parents.Controllers(o.caches)
	return server.Serve(command.Context(), o.Config)
}

func (o *serveOptions) addTLS(flags *pflag.FlagSet) {
	flags.StringVar(&o.TLS.CertFile, "tls-cert", "", "`file` with the TLS certificate chain in PEM, reloaded when it changes; empty for plain HTTP")
	flags.StringVar(&o.TLS.KeyFile, "tls-key", "", "`file` with the private key of --tls-cert in PEM")
	flags.StringVar(&o.TLS.ClientCAFile, "client-ca", "", "`file` with the CA bundle in PEM that verifies client certificates, reloaded when it changes; empty to accept callers without a certificate")
	flags.StringSliceVar(&o.TLS.ClientNames, "client-names", nil, "comma-separated `names` of allowed callers: DNS names, URIs or common names of client certificates (default any name)")
	flags.StringVar(&o.TokenFile, "token-file", "", "`file` with the accepted bearer tokens, one per line, reloaded when it changes; empty to accept callers without a token")
}

func (o *serveOptions) addLimits(flags *pflag.FlagSet) {
	defaults := server.DefaultLimits()
	flags.Int64Var(&o.MaxBodyBytes, "max-body-bytes", defaults.MaxBodyBytes, "maximum size of a request body in `bytes`; a larger body gets 413 Content Too Large")
	flags.IntVar(&o.MaxConnections, "max-connections", defaults.MaxConnections, "maximum number of `connections` of callers; above the limit, a new connection replaces an idle one")
	flags.Int64Var(&o.MaxHeapBytes, "max-heap-bytes", defaults.MaxHeapBytes, "maximum size of the live heap in `bytes`; above the limit, large bodies are rejected")
	flags.DurationVar(&o.ShutdownDelay, "shutdown-delay", 0, "`duration` between failing readiness and the start of the drain, for example 5s in a cluster (default 0s)")
	flags.DurationVar(&o.ShutdownTimeout, "shutdown-timeout", 20*time.Second, "maximum `duration` of the drain, in which requests in flight must finish")
}

// addCaches adds the flags that serve and render share.
func addCaches(flags *pflag.FlagSet, caches *memcached.Config) {
	flags.StringVar(&caches.OperatorImage, "operator-image", "", "`image` of this program for sidecars, startup probes and Jobs of caches; empty to run none of them")
	flags.StringVar(&caches.ClusterDomain, "cluster-domain", "", "DNS `domain` of the cluster, in the names of servers and proxies; a change replaces the proxies (default: the domain in the search list of /etc/resolv.conf, or cluster.local)")
}
