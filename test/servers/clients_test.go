//go:build servers

package servers

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

// The user in the Secret, the password of the user, and a wrong password.
const (
	user     = "app@shop"
	password = "correct"
	wrong    = "incorrect"
)

// dial connects to an address, over TLS if config is not nil.
func dial(address string, config *tls.Config) (net.Conn, error) {
	connection, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return nil, err
	}
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return nil, err
	}
	if config == nil {
		return connection, nil
	}
	secured := tls.Client(connection, config)
	if err := secured.Handshake(); err != nil {
		connection.Close()
		return nil, err
	}
	return secured, nil
}

// use logs in and stores an item, as a client of the given mode does. It returns an error if the server refuses.
func use(connection net.Conn, mode, user, password string) error {
	switch mode {
	case "SASL":
		if user != "" {
			if err := binaryRequest(connection, opSASL, "PLAIN", "\x00"+user+"\x00"+password); err != nil {
				return fmt.Errorf("login: %w", err)
			}
		}
		return binaryRequest(connection, opSet, "key", "value")
	case "ASCII":
		if user != "" {
			if err := store(connection, "login", user+" "+password); err != nil {
				return fmt.Errorf("login: %w", err)
			}
		}
	}
	return store(connection, "key", "value")
}

func store(connection net.Conn, key, value string) error {
	lines, err := send(connection, fmt.Sprintf("set %s 0 0 %d\r\n%s", key, len(value), value))
	if err == nil && lines[0] != "STORED" {
		err = fmt.Errorf("got the response %q", lines)
	}
	return err
}

// Operations of the binary protocol: https://github.com/memcached/memcached/wiki/BinaryProtocolRevamped
const (
	opGet  = 0x00
	opSet  = 0x01
	opSASL = 0x21
)

// binaryRequest sends a request and returns an error unless the response has the status success.
func binaryRequest(connection net.Conn, operation byte, key, value string) error {
	extras := make([]byte, 0, 8)
	if operation == opSet {
		extras = extras[:8] // flags and expiry
	}
	header := [24]byte{0: 0x80, 1: operation, 4: byte(len(extras))}
	binary.BigEndian.PutUint16(header[2:], uint16(len(key)))
	binary.BigEndian.PutUint32(header[8:], uint32(len(extras)+len(key)+len(value)))
	if _, err := connection.Write(slices.Concat(header[:], extras, []byte(key), []byte(value))); err != nil {
		return err
	}
	if _, err := io.ReadFull(connection, header[:]); err != nil {
		return err
	}
	body := make([]byte, binary.BigEndian.Uint32(header[8:]))
	if _, err := io.ReadFull(connection, body); err != nil {
		return err
	}
	if status := binary.BigEndian.Uint16(header[6:]); status != 0 {
		return fmt.Errorf("got status %#x: %s", status, strings.TrimSpace(string(body)))
	}
	return nil
}
