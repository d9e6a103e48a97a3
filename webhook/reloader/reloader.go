// Package reloader runs in the pod of memcached. After the kubelet has updated the files of a Secret, the reloader makes
// memcached load its certificate and passwords again. So a rotation neither restarts memcached nor empties the cache.
//
// The hook observes only the status of the pod, which has the last termination of a container and its message. So the
// reloader exits to report a failure, and exits once more when the failure is over. Otherwise it keeps running, because each
// exit makes the pod unready for a moment.
package reloader

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config is the configuration of the reloader.
type Config struct {
	// TLSDirectory has tls.crt, tls.key and, with client certificates, ca.crt; empty without TLS.
	TLSDirectory string
	// PasswordFile has lines of user:password, which memcached reads in ASCII mode; empty in any other mode.
	PasswordFile string
	// CommandAddress is the host:port at which memcached accepts ASCII commands without TLS.
	CommandAddress string
	// TLSAddress is the host:port at which memcached serves over TLS.
	TLSAddress string
	// Marker is a file that outlives the container, but not the pod. It records a reported failure.
	Marker string
	// Interval is the time between two checks of the files.
	Interval time.Duration
	// Patience is how long memcached may not accept changed files before the reloader reports a failure.
	Patience time.Duration
	// Signal makes memcached load its passwords again; by default it sends SIGHUP.
	Signal func() error
	Logger *slog.Logger

	known []user // whose passwords memcached may have loaded
}

// Check returns an error for an invalid configuration.
func (c *Config) Check() error {
	switch {
	case c.TLSDirectory == "" && c.PasswordFile == "":
		return errors.New("reload requires --tls or --passwords: set the files that memcached must reload")
	case c.Interval <= 0 || c.Patience < 0:
		return errors.New("--interval must be greater than 0, and --patience must not be negative")
	}
	return nil
}

// Run checks the files until the context ends. It returns earlier in two cases:
//
//   - with an error, when memcached has not accepted changed files for Patience;
//   - without an error, when memcached accepts the files again after such a failure. Otherwise the status of the pod would show
//     the failure for as long as the container runs.
func Run(ctx context.Context, c Config) error {
	if c.Signal == nil {
		c.Signal = func() error { return signalMemcached("/proc") }
	}
	w := newWatch(c)
	if !c.waitForMemcached(ctx) {
		return nil
	}
	for {
		if exit, err := w.poll(time.Now()); exit || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.Interval):
		}
	}
}

// waitForMemcached waits until memcached accepts connections. It reports false when the context ends before.
func (c *Config) waitForMemcached(ctx context.Context) bool {
	for {
		connection, err := net.DialTimeout("tcp", c.CommandAddress, timeout)
		if err == nil {
			connection.Close()
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(c.Interval, time.Second)):
		}
	}
}

// reload makes memcached load its files again, and verifies that memcached uses them. It returns what memcached has loaded.
//
// The certificate is checked before the passwords are loaded, because since 1.6.40 the SIGHUP for them also makes memcached load its
// certificate.
func (c *Config) reload() (string, error) {
	var loaded []string
	var certificate *x509.Certificate
	if c.TLSDirectory != "" {
		var err error
		if certificate, err = c.loadableCertificate(); err != nil {
			return "", err
		}
	}
	if c.PasswordFile != "" {
		passwords, err := c.reloadPasswords()
		if err != nil {
			return "", err
		}
		loaded = append(loaded, passwords)
	}
	if certificate != nil {
		served, err := c.reloadCertificate(certificate)
		if err != nil {
			return "", err
		}
		loaded = append(loaded, served)
	}
	return strings.Join(loaded, ", "), nil
}

// content returns the content of all files as one text. The files are small, and the kubelet replaces them atomically.
func (c *Config) content() (string, error) {
	var all strings.Builder
	for _, file := range c.files() {
		content, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) && filepath.Base(file) == caFile {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s %d\n%s", file, len(content), content)
	}
	return all.String(), nil
}
