// Package client is a client of memcached for statistics and listings of items. It streams listings, so that their size does not
// matter.
//
// It exists because no library for Go has these parts together: github.com/bradfitz/gomemcache has neither statistics nor
// listings nor passwords, github.com/memcachier/mc has SASL and statistics but neither TLS nor listings, and
// github.com/QuangTung97/go-memcache lists keys but has neither SASL nor the size and the times of items.
package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/example/memcached-operator/webhook/text"
)

// Auth is how a client authenticates.
type Auth string

// The values of Auth.
const (
	AuthNone Auth = ""
	// AuthASCII is the password file of memcached -Y.
	AuthASCII Auth = "ASCII"
)

// Config is how to connect.
type Config struct {
	// Timeout limits the connection, the login, and each wait for a part of a response.
	Timeout time.Duration
	// TLS is nil without TLS. Without a ServerName, the host of the address is the name.
	TLS            *tls.Config
	Auth           Auth
	User, Password string
}

// Conn is a connection to a server. One goroutine at a time may use it.
type Conn struct {
	// Conn and Reader are for commands that this package does not have. Each read and write has the timeout of the Config.
	net.Conn
	Reader *bufio.Reader
}

// Dial connects to a server and logs in. The end of the context closes the connection.
func Dial(ctx context.Context, address string, config Config) (*Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q is not host:port", address)
	}
	limited, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	plain, err := (&net.Dialer{}).DialContext(limited, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, withoutAddress(err))
	}
	stop := context.AfterFunc(ctx, func() { _ = plain.Close() })
	connection := net.Conn(&timed{plain, config.Timeout, stop})
	if config.TLS != nil {
		settings := config.TLS.Clone()
		if settings.ServerName == "" {
			settings.ServerName = host
		}
		secured := tls.Client(connection, settings)
		if err := secured.HandshakeContext(limited); err != nil {
			_ = connection.Close()
			hint := ""
			if _, isPlain := errors.AsType[tls.RecordHeaderError](err); isPlain {
				hint = "; if the port has no TLS, remove --tls"
			}
			if _, ofServer := errors.AsType[x509.HostnameError](err); ofServer {
				err = errors.New(text.Value(err.Error())) // contains the names of its certificate
			}
			return nil, fmt.Errorf("connect to %s with TLS: %w%s", address, err, hint)
		}
		connection = secured
	}
	c := &Conn{Conn: connection, Reader: bufio.NewReaderSize(connection, 1<<16)}
	if config.Auth == AuthASCII {
		if err := c.logIn(config.User + " " + config.Password); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("log in to %s: %w", address, err)
		}
	}
	return c, nil
}

// withoutAddress removes what the net package adds to an error, because the caller adds the address.
func withoutAddress(err error) error {
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return operation.Err
	}
	return err
}

// timed is a connection whose reads and writes have a timeout.
type timed struct {
	net.Conn
	timeout time.Duration
	stop    func() bool // otherwise the context keeps the connection
}

func (t *timed) Close() error {
	t.stop()
	return t.Conn.Close()
}

func (t *timed) Read(b []byte) (int, error) {
	if err := t.SetReadDeadline(time.Now().Add(t.timeout)); err != nil {
		return 0, err
	}
	return t.Conn.Read(b)
}

func (t *timed) Write(b []byte) (int, error) {
	if err := t.SetWriteDeadline(time.Now().Add(t.timeout)); err != nil {
		return 0, err
	}
	return t.Conn.Write(b)
}

// logIn sets any key, which is the login of memcached -Y. A server without -Y would store the password as an item, so another
// command must fail first.
func (c *Conn) logIn(login string) error {
	line, err := c.Command("version")
	switch {
	case err != nil:
		return err
	case bytes.HasPrefix(line, []byte("VERSION")):
		return errors.New("the server does not require a password. Remove --auth")
	case string(line) != "CLIENT_ERROR unauthenticated":
		return fmt.Errorf("memcached responds with %.200q to a command before the login", line)
	}
	line, err = c.Command(fmt.Sprintf("set login 0 0 %d\r\n%s", len(login), login))
	if err == nil && string(line) != "STORED" {
		err = fmt.Errorf("memcached does not accept the password: %.200q", line)
	}
	return err
}

// Command sends a command of the text protocol and returns the first line of the response. The line is valid until the next
// read.
func (c *Conn) Command(command string) ([]byte, error) {
	if _, err := c.Write([]byte(command + "\r\n")); err != nil {
		return nil, err
	}
	return c.ReadLine()
}

// ReadLine returns the next line of a response. It is valid until the next read.
func (c *Conn) ReadLine() ([]byte, error) {
	line, err := c.Reader.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errors.New("a line of the response is too long")
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// maxStatBytes limits the statistics of a group. A server has some hundreds, and some thousands with many slab classes.
const maxStatBytes = 1 << 20

var errTooManyStats = fmt.Errorf("memcached responds with more than %d bytes of statistics", maxStatBytes)

// Stats returns a group of statistics, such as settings. The group "" has the general ones.
func (c *Conn) Stats(group string) (map[string]string, error) {
	command := strings.TrimSpace("stats " + group)
	values, err := c.stats(command)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	return values, nil
}

func (c *Conn) stats(command string) (map[string]string, error) {
	values := map[string]string{}
	line, err := c.Command(command)
	for size := 0; err == nil; line, err = c.ReadLine() {
		word, rest, _ := strings.Cut(string(line), " ")
		name, value, _ := strings.Cut(rest, " ")
		switch word {
		case "STAT":
			if size += len(line); size > maxStatBytes {
				return nil, errTooManyStats
			}
			values[name] = value
		case "END", "RESET":
			return values, nil
		default:
			return nil, &refusal{bytes.Clone(line)}
		}
	}
	return nil, err
}
