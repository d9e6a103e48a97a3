// Package reloader runs next to memcached, in its pod. It makes memcached load its certificate and its passwords again once
// the kubelet has updated their files, so that a rotation restarts nothing and empties nothing.
//
// The hook sees only the status of the pod, and there the last end of a container and its message. So the program ends to
// report a failure, and once more to withdraw the report. Otherwise it runs: an end makes the pod unready for a moment.
package reloader

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config is what to look after.
type Config struct {
	// TLSFolder holds tls.crt, tls.key and, where clients present certificates, ca.crt; empty without TLS.
	TLSFolder string
	// PasswordFile holds lines of user:password, as memcached reads them in ASCII mode; empty in any other.
	PasswordFile string
	// Commands is where memcached speaks ASCII without TLS, and Serves where it speaks TLS, as host:port.
	Commands, Serves string
	// Marker is a file that outlives the container, but not the pod. It remembers a failure that was reported.
	Marker string
	// Interval is the time from one look at the files to the next. Patience is the time for which memcached may use old
	// ones before that is reported.
	Interval, Patience time.Duration
	// Signal makes the process of memcached read its files again; by default it gets SIGHUP.
	Signal func() error
	Logger *slog.Logger
}

// AddFlags adds the flags that set the configuration, with their defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.TLSFolder, "tls", "", "`folder` with tls.crt, tls.key and perhaps ca.crt, which memcached serves; empty without TLS")
	flags.StringVar(&c.PasswordFile, "passwords", "", "`file` of user:password lines, which memcached reads in ASCII mode; empty without it")
	flags.StringVar(&c.Commands, "commands", "127.0.0.1:11213", "`host:port` where memcached takes commands without TLS")
	flags.StringVar(&c.Serves, "serves", "127.0.0.1:11211", "`host:port` where memcached serves over TLS")
	flags.StringVar(&c.Marker, "marker", "", "`file` that remembers a reported failure from one start to the next")
	flags.DurationVar(&c.Interval, "interval", 5*time.Second, "`time` from one look at the files to the next")
	flags.DurationVar(&c.Patience, "patience", 30*time.Second, "`time` for which memcached may not accept a change before that is reported")
}

// Check refuses a configuration that cannot be meant.
func (c *Config) Check() error {
	switch {
	case c.TLSFolder == "" && c.PasswordFile == "":
		return errors.New("reload needs -tls or -passwords: there is nothing to look after")
	case c.Interval <= 0 || c.Patience < 0:
		return errors.New("-interval must be above 0 and -patience not below")
	}
	return nil
}

// Run looks after the files until the context ends. It ends earlier for two reasons:
//
//   - with an error, once memcached has not accepted a change for longer than Patience;
//   - without one, once memcached accepts the files again after such an end, because the status of the pod would show the
//     failure for as long as the program runs.
func Run(ctx context.Context, c Config) error {
	if c.Signal == nil {
		c.Signal = hangUp
	}
	w := newWatch(c)
	if !c.waitForMemcached(ctx) {
		return nil
	}
	for {
		if end, err := w.look(time.Now()); end || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.Interval):
		}
	}
}

// waitForMemcached reports whether memcached takes connections. It returns false when the context ends.
func (c *Config) waitForMemcached(ctx context.Context) bool {
	for {
		connection, err := net.DialTimeout("tcp", c.Commands, timeout)
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

// apply makes memcached read its files again and checks that it uses them. It returns what memcached uses now.
func (c *Config) apply() (string, error) {
	var reports []string
	if c.PasswordFile != "" {
		report, err := c.applyPasswords()
		if err != nil {
			return "", err
		}
		reports = append(reports, report)
	}
	if c.TLSFolder != "" {
		report, err := c.applyCertificate()
		if err != nil {
			return "", err
		}
		reports = append(reports, report)
	}
	return strings.Join(reports, ", "), nil
}

// content is what all the files hold, as one text. They are small, and the kubelet swaps them all at once.
func (c *Config) content() (string, error) {
	var all strings.Builder
	for _, file := range c.files() {
		content, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) && filepath.Base(file) == authorityFile {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s %d\n%s", file, len(content), content)
	}
	return all.String(), nil
}
