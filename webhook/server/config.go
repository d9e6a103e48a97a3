package server

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// minHeapBytes is the lowest limit of the heap. Below the heap of the idle hook, it would refuse each sync.
const minHeapBytes = 16 << 20

// Check returns an error if the configuration is invalid.
func (c *Config) Check() error {
	switch {
	case c.MaxBodyBytes <= 0 || c.MaxConnections <= 0 || c.MaxHeapBytes <= 0:
		return errors.New("--max-body-bytes, --max-connections and --max-heap-bytes must be greater than 0")
	case c.MaxHeapBytes < minHeapBytes:
		return fmt.Errorf("--max-heap-bytes must be at least %d, because the hook without requests needs up to half of it", minHeapBytes)
	case c.ShutdownDelay < 0 || c.ShutdownTimeout < 0:
		return errors.New("--shutdown-delay and --shutdown-timeout must not be negative")
	}
	return c.TLS.check()
}

func (t TLS) check() error {
	switch {
	case (t.CertFile == "") != (t.KeyFile == ""):
		return errors.New("--tls-cert and --tls-key must be set together")
	case t.ClientCAFile != "" && t.CertFile == "":
		return errors.New("--client-ca requires --tls-cert, because plain HTTP has no certificates")
	case t.ClientNames != nil && len(t.ClientNames) == 0 || slices.Contains(t.ClientNames, ""):
		return errors.New("--client-names must not contain an empty name, which would allow certificates without a name")
	case t.ClientNames != nil && t.ClientCAFile == "":
		return errors.New("--client-names requires --client-ca, which verifies the names")
	}
	return nil
}
