package command

import (
	"cmp"
	"crypto/tls"
	"io"
	"log/slog"
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

// tlsVersions are the values of --tls-min-version.
var tlsVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

type serveOptions struct {
	server.Config
	caches        memcached.Config
	logLevel      string
	logFormat     string
	tlsMinVersion string
}

func newServe(version string) *cobra.Command {
	options := serveOptions{Config: server.Config{Version: version}}
	command := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve Metacontroller over HTTP",
		Long: `Serve Metacontroller over HTTP or HTTPS until SIGTERM or SIGINT, and then finish the requests in flight.

Health (/healthz, /readyz) and metrics (/metrics) have an address of their own.`,
		Example: `  memcached-operator serve --address :8080
  memcached-operator serve --address :8443 --tls-cert tls.crt --tls-key tls.key`,
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, _ []string) error {
			return options.run(command)
		},
	}
	addGroup(command, "Addresses", options.addAddresses)
	addGroup(command, "TLS and authentication", options.addTLS)
	addGroup(command, "Limits", options.addLimits)
	addGroup(command, "Shutdown", options.addShutdown)
	addGroup(command, "Memcached", options.addCaches)
	addGroup(command, "Log", options.addLog)
	return command
}

func (o *serveOptions) run(command *cobra.Command) error {
	o.TLS.MinVersion = tlsVersions[o.tlsMinVersion]
	if err := o.Check(); err != nil {
		return usageErrorf(command, "%w", err)
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

func (o *serveOptions) addAddresses(flags *pflag.FlagSet) {
	flags.StringVar(&o.Address, "address", ":8080", "`host:port` for Metacontroller")
	flags.StringVar(&o.OpsAddress, "ops-address", ":8081", "`host:port` of /healthz, /readyz and /metrics; empty to disable them")
}

func (o *serveOptions) addTLS(flags *pflag.FlagSet) {
	flags.StringVar(&o.TLS.CertFile, "tls-cert", "", "`file` with the TLS certificate chain in PEM, reloaded when it changes; empty for plain HTTP")
	flags.StringVar(&o.TLS.KeyFile, "tls-key", "", "`file` with the private key of --tls-cert in PEM")
	flags.Var(newChoice(&o.tlsMinVersion, "", "1.2", "1.3"), "tls-min-version", "minimum version of TLS (default 1.3)")
	flags.StringVar(&o.TLS.ClientCAFile, "client-ca", "", "`file` with the CA bundle in PEM that verifies client certificates, reloaded when it changes; empty if callers need no certificate")
	flags.StringSliceVar(&o.TLS.ClientNames, "client-names", nil, "comma-separated `names` of allowed callers: DNS names, URIs or common names of client certificates (default any name)")
	flags.StringVar(&o.TokenFile, "token-file", "", "`file` with the accepted bearer tokens, one per line, reloaded when it changes; empty if callers need no token")
}

func (o *serveOptions) addLimits(flags *pflag.FlagSet) {
	defaults := server.DefaultLimits()
	flags.Int64Var(&o.MaxBodyBytes, "max-body-bytes", defaults.MaxBodyBytes, "maximum size of a request body in `bytes`; a larger body gets 413 Content Too Large")
	flags.IntVar(&o.MaxConnections, "max-connections", defaults.MaxConnections, "maximum number of `connections` of callers; above the limit a new connection replaces one without a request")
	flags.Int64Var(&o.MaxHeapBytes, "max-heap-bytes", defaults.MaxHeapBytes, "maximum size of the live heap in `bytes`; above the limit no more large bodies are read")
}

func (o *serveOptions) addShutdown(flags *pflag.FlagSet) {
	flags.DurationVar(&o.ShutdownDelay, "shutdown-delay", 0, "`duration` between failing readiness and the drain, for example 5s in a cluster (default 0s)")
	flags.DurationVar(&o.ShutdownTimeout, "shutdown-timeout", 20*time.Second, "maximum `duration` of the drain, in which requests in flight must finish")
}

func (o *serveOptions) addCaches(flags *pflag.FlagSet) {
	addCaches(flags, &o.caches)
}

func (o *serveOptions) addLog(flags *pflag.FlagSet) {
	flags.Var(newChoice(&o.logLevel, "info", "debug", "info", "warn", "error"), "log-level", "minimum level of log lines")
	flags.Var(newChoice(&o.logFormat, "text", "text", "json"), "log-format", "format of log lines")
}

// addCaches adds the flags that serve and render share.
func addCaches(flags *pflag.FlagSet, caches *memcached.Config) {
	flags.StringVar(&caches.OperatorImage, "operator-image", "", "`image` of this program, which makes memcached load changed certificates and passwords, lets it serve until its items are on other servers, and copies items during a change with proxies, and exports the reads of the clients of proxies; empty for none of them; pods that run keep theirs, or none, until their template changes for another reason")
	flags.StringVar(&caches.ClusterDomain, "cluster-domain", "", "DNS `domain` of the cluster, in the names of servers and proxies; a change replaces the proxies (default that of the search list in /etc/resolv.conf, or else cluster.local)")
}
