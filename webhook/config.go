package webhook

import (
	"crypto/tls"
	"errors"
	"flag"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/example/memcached-operator/webhook/composite"
)

// Config configures a server.
type Config struct {
	// Address serves the hooks, OpsAddress health and metrics. An empty OpsAddress disables health and metrics.
	Address, OpsAddress string
	// TLS configures TLS for the hooks. Health and metrics use plain HTTP: they contain no secret.
	TLS TLS
	// TokenFile contains the accepted bearer tokens, one per line. If it is empty, callers need no token.
	TokenFile string
	Limits
	// ShutdownDelay is the time between failing readiness and refusing new connections, in which the cluster removes the
	// server from its endpoints.
	ShutdownDelay time.Duration
	// ShutdownTimeout is the time after the delay in which requests in flight must finish.
	ShutdownTimeout time.Duration
	// Controllers are the controllers whose hooks are served.
	Controllers []composite.Controller
	// Version is the version of the program, for the metrics.
	Version string
	Logger  *slog.Logger
}

// AddFlags adds the flags that set the configuration, with their defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.Address, "address", ":8080", "`host:port` of the hooks")
	flags.StringVar(&c.OpsAddress, "ops-address", ":8081", "`host:port` of /healthz, /readyz and /metrics; empty to disable them")
	flags.StringVar(&c.TLS.CertFile, "tls-cert", "", "`file` with the TLS certificate chain in PEM, reloaded when it changes; empty for plain HTTP")
	flags.StringVar(&c.TLS.KeyFile, "tls-key", "", "`file` with the private key of -tls-cert in PEM")
	flags.Func("tls-min-version", "minimum TLS `version`: 1.2 or 1.3 (default 1.3)", func(value string) error {
		versions := map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
		c.TLS.MinVersion = versions[value]
		if c.TLS.MinVersion == 0 {
			return errors.New("use 1.2 or 1.3")
		}
		return nil
	})
	flags.StringVar(&c.TLS.ClientCAFile, "client-ca", "", "`file` with the CA bundle in PEM that verifies client certificates, reloaded when it changes; empty if callers need no certificate")
	flags.Func("client-names", "comma-separated `names` of allowed callers: DNS names, URIs or common names of client certificates (default any name)", func(value string) error {
		c.TLS.ClientNames = strings.Split(value, ",")
		if slices.Contains(c.TLS.ClientNames, "") {
			return errors.New("a name is empty")
		}
		return nil
	})
	flags.StringVar(&c.TokenFile, "token-file", "", "`file` with the accepted bearer tokens, one per line, reloaded when it changes; empty if callers need no token")
	flags.Int64Var(&c.MaxBodyBytes, "max-body-bytes", defaultLimits.MaxBodyBytes, "maximum size of a request body in `bytes`")
	flags.IntVar(&c.MaxConnections, "max-connections", defaultLimits.MaxConnections, "maximum `number` of connections of callers; above the limit a new connection replaces one without a request")
	flags.Int64Var(&c.MaxHeapBytes, "max-heap-bytes", defaultLimits.MaxHeapBytes, "maximum size of the live heap in `bytes`; above the limit no more request bodies are read")
	flags.DurationVar(&c.ShutdownDelay, "shutdown-delay", 0, "`time` between failing readiness and the drain; a few seconds in a cluster")
	flags.DurationVar(&c.ShutdownTimeout, "shutdown-timeout", 20*time.Second, "maximum `time` for requests in flight to finish during the drain")
}

// Check returns an error if the configuration is invalid.
func (c *Config) Check() error {
	switch {
	case c.MaxBodyBytes <= 0 || c.MaxConnections <= 0 || c.MaxHeapBytes <= 0:
		return errors.New("-max-body-bytes, -max-connections and -max-heap-bytes must be greater than 0")
	case c.ShutdownDelay < 0 || c.ShutdownTimeout < 0:
		return errors.New("-shutdown-delay and -shutdown-timeout must not be negative")
	case (c.TLS.CertFile == "") != (c.TLS.KeyFile == ""):
		return errors.New("-tls-cert and -tls-key must be set together")
	case c.TLS.ClientCAFile != "" && c.TLS.CertFile == "":
		return errors.New("-client-ca requires -tls-cert, because plain HTTP has no certificates")
	case c.TLS.ClientNames != nil && c.TLS.ClientCAFile == "":
		return errors.New("-client-names requires -client-ca, which verifies the names")
	case c.TLS.MinVersion != 0 && c.TLS.CertFile == "":
		return errors.New("-tls-min-version requires -tls-cert")
	}
	return nil
}
