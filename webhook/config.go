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

// Config is how the program serves.
type Config struct {
	// Address takes the hooks' requests, OpsAddress those for health and metrics; an empty OpsAddress serves none.
	Address, OpsAddress string
	// TLS serves the hooks over TLS. Health and metrics stay plain: they hold no secret, and the kubelet has no token.
	TLS TLS
	// TokenFile holds the bearer tokens that callers need, one on a line; if it is empty they need none.
	TokenFile string
	// MaxBodyBytes bounds a request's body.
	MaxBodyBytes int64
	// MaxInFlight and MaxInFlightBytes bound the requests in work and the sum of their bodies.
	MaxInFlight      int
	MaxInFlightBytes int64
	// MaxHeapBytes bounds the memory of the process, beyond which no more is read of any request.
	MaxHeapBytes int64
	// ShutdownDelay is the time between failing readiness and refusing new connections, in which the cluster learns
	// to send requests elsewhere.
	ShutdownDelay time.Duration
	// ShutdownTimeout is the time that requests in flight have to finish after that.
	ShutdownTimeout time.Duration
	// Controllers are those that are served.
	Controllers []composite.Controller
	// Version is the program's, for the metrics.
	Version string
	Logger  *slog.Logger
}

// AddFlags adds the flags that set the configuration, with their defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.Address, "address", ":8080", "`host:port` that takes the hooks' requests")
	flags.StringVar(&c.OpsAddress, "ops-address", ":8081", "`host:port` of /healthz, /readyz and /metrics; empty for none")
	flags.StringVar(&c.TLS.CertFile, "tls-cert", "", "`file` of the TLS certificate chain in PEM, read again when it changes; empty for plain HTTP")
	flags.StringVar(&c.TLS.KeyFile, "tls-key", "", "`file` of the TLS certificate's key in PEM")
	flags.Func("tls-min-version", "least TLS `version`: 1.2 or 1.3 (default 1.3)", func(value string) error {
		versions := map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
		c.TLS.MinVersion = versions[value]
		if c.TLS.MinVersion == 0 {
			return errors.New("use 1.2 or 1.3")
		}
		return nil
	})
	flags.StringVar(&c.TLS.ClientCAFile, "client-ca", "", "`file` of the authorities of callers' certificates in PEM, read again when it changes; empty to ask for none")
	flags.Func("client-names", "`names` of callers that are let in, between commas: DNS names, URIs or common names; by default any of -client-ca", func(value string) error {
		c.TLS.ClientNames = strings.Split(value, ",")
		if slices.Contains(c.TLS.ClientNames, "") {
			return errors.New("a name is empty")
		}
		return nil
	})
	flags.StringVar(&c.TokenFile, "token-file", "", "`file` of bearer tokens that callers need, one on a line, read again when it changes; empty to ask for none")
	flags.Int64Var(&c.MaxBodyBytes, "max-body-bytes", DefaultMaxBodyBytes, "largest request body in `bytes`")
	flags.IntVar(&c.MaxInFlight, "max-in-flight", DefaultMaxInFlight, "most `requests` in work at once; others are told to come back")
	flags.Int64Var(&c.MaxInFlightBytes, "max-in-flight-bytes", DefaultMaxInFlightBytes, "most `bytes` in the bodies of requests in work at once")
	flags.Int64Var(&c.MaxHeapBytes, "max-heap-bytes", DefaultMaxHeapBytes, "most `bytes` of memory in use, beyond which no more is read of any request")
	flags.DurationVar(&c.ShutdownDelay, "shutdown-delay", 0, "`time` between failing readiness and the drain; some seconds on a cluster")
	flags.DurationVar(&c.ShutdownTimeout, "shutdown-timeout", 20*time.Second, "`time` that requests in flight have to finish")
}

// Check refuses a configuration that cannot be meant.
func (c *Config) Check() error {
	switch {
	case c.MaxBodyBytes <= 0 || c.MaxInFlight <= 0 || c.MaxHeapBytes <= 0:
		return errors.New("-max-body-bytes, -max-in-flight and -max-heap-bytes must be above 0")
	case c.MaxInFlightBytes < c.MaxBodyBytes:
		return errors.New("-max-in-flight-bytes must not be below -max-body-bytes: the largest body would never get in")
	case c.ShutdownDelay < 0 || c.ShutdownTimeout < 0:
		return errors.New("-shutdown-delay and -shutdown-timeout must not be below 0")
	case (c.TLS.CertFile == "") != (c.TLS.KeyFile == ""):
		return errors.New("-tls-cert and -tls-key go together")
	case c.TLS.ClientCAFile != "" && c.TLS.CertFile == "":
		return errors.New("-client-ca needs -tls-cert: over plain HTTP there are no certificates")
	case c.TLS.ClientNames != nil && c.TLS.ClientCAFile == "":
		return errors.New("-client-names needs -client-ca, which vouches for the names")
	case c.TLS.MinVersion != 0 && c.TLS.CertFile == "":
		return errors.New("-tls-min-version needs -tls-cert")
	}
	return nil
}
