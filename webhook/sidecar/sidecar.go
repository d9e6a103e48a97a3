// Package sidecar runs beside memcached, in its pod: it lets memcached read its certificate and its passwords again once
// the kubelet has brought their files up to date, so that a rotation restarts nothing and empties nothing.
//
// What it has to tell, it tells by ending: the kubelet keeps the last message of a container in the pod's status, which is
// all that the hook sees. A container that ends is started again, and memcached's is another.
package sidecar

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
	// Marker is a file that outlives the container, and not the pod: it is there after a failure that was told.
	Marker string
	// Interval is the time from one look at the files to the next, and Patience how long memcached may go on using the
	// old ones before that is told.
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
	flags.StringVar(&c.Marker, "marker", "", "`file` by which a failure is remembered from one start to the next")
	flags.DurationVar(&c.Interval, "interval", 5*time.Second, "`time` from one look at the files to the next")
	flags.DurationVar(&c.Patience, "patience", 30*time.Second, "`time` after which it is told that memcached does not take a change")
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

// Run looks after the files until there is something to tell: a change that memcached has taken, or, as an error, one that
// it does not take. It returns "" when the context ends.
func Run(ctx context.Context, c Config) (string, error) {
	if c.Signal == nil {
		c.Signal = hangUp
	}
	if !c.waitForMemcached(ctx) {
		return "", nil
	}
	for w := (watch{Config: c}); ; {
		if report, err := w.look(time.Now()); report != "" || err != nil {
			return report, err
		}
		select {
		case <-ctx.Done():
			return "", nil
		case <-time.After(c.Interval):
		}
	}
}

// watch is what one run knows of the files.
type watch struct {
	Config
	// used is what memcached was last seen to use, once settled.
	used    string
	settled bool
	// seen is what the files held at the last look, since then.
	seen  string
	since time.Time
	// failed is true once memcached has not taken them, and logged why.
	failed bool
	logged string
}

// look returns what there is to tell now, if anything.
func (w *watch) look(now time.Time) (string, error) {
	content, err := w.content()
	if err == nil && w.settled && content == w.used {
		return "", nil
	}
	if content != w.seen || w.since.IsZero() {
		w.seen, w.since = content, now
	}
	var report string
	var changed bool
	if err == nil {
		report, changed, err = w.apply()
	}
	if err != nil {
		return "", w.complain(err, now)
	}
	w.Logger.Info("memcached uses what the files hold", "now", report)
	if w.settled || changed || w.failed || w.failedBefore() {
		return report, w.forgetFailure()
	}
	w.used, w.settled = content, true // as memcached started: nothing to tell
	return "", nil
}

// complain tells of a failure once, when it has lasted. The next run is silent about it until it is mended: a container
// that keeps ending would keep its pod out of service.
func (w *watch) complain(err error, now time.Time) error {
	w.failed = true
	if why := err.Error(); why != w.logged {
		w.Logger.Warn("memcached does not use what the files hold", "error", why)
		w.logged = why
	}
	if w.failedBefore() || now.Sub(w.since) < w.Patience {
		return nil
	}
	return errors.Join(err, w.rememberFailure())
}

// waitForMemcached returns true once memcached takes connections: that it starts is nothing to tell of.
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

// apply makes memcached read its files again and looks whether it did. It returns what memcached uses now, and whether
// that is a change that can be seen.
func (c *Config) apply() (report string, changed bool, err error) {
	var reports []string
	if c.PasswordFile != "" {
		report, err := c.applyPasswords()
		if err != nil {
			return "", false, err
		}
		reports = append(reports, report)
	}
	if c.TLSFolder != "" {
		var report string
		if report, changed, err = c.applyCertificate(); err != nil {
			return "", false, err
		}
		reports = append(reports, report)
	}
	return strings.Join(reports, ", "), changed, nil
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

func (c *Config) failedBefore() bool {
	if c.Marker == "" {
		return false
	}
	_, err := os.Stat(c.Marker)
	return err == nil
}

func (c *Config) rememberFailure() error {
	if c.Marker == "" {
		return nil
	}
	return os.WriteFile(c.Marker, nil, 0o600)
}

func (c *Config) forgetFailure() error {
	if !c.failedBefore() {
		return nil
	}
	return os.Remove(c.Marker)
}
