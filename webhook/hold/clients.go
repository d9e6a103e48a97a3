package hold

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// maxClients and maxAddress, in bytes, limit the memory of a sample. Proxies have one connection for each of their threads. An address of memcached is
// shorter: two addresses of IPv6 need 90 bytes, and the path of a socket at most 108.
const (
	maxClients = 1024
	maxAddress = 128
)

// clients are the remote hosts that are connected to memcached. They have no ports, because a proxy connects again from another port after a command that
// memcached refuses.
type clients map[string]bool

// readClients reads the clients from "stats conns", line by line.
func readClients(connection *client.Conn) (clients, error) {
	found := listing{clients: clients{}}
	line, err := connection.Command("stats conns")
	for err == nil && string(line) != "END" {
		if err = found.add(line); err == nil {
			line, err = connection.ReadLine()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("stats conns: %w", err)
	}
	return found.clients, nil
}

// listing reads the lines of "stats conns". The address of a file descriptor comes before its state:
// https://github.com/memcached/memcached/blob/1.6.45/memcached.c, process_stats_conns
type listing struct {
	clients
	fd, address string
}

func (l *listing) add(line []byte) error {
	name, isStat := bytes.CutPrefix(line, []byte("STAT "))
	if !isStat {
		return responseError(line)
	}
	name, value, _ := bytes.Cut(name, []byte(" "))
	fd, field, _ := strings.Cut(string(name), ":")
	switch {
	case field == "addr":
		l.fd, l.address = fd, string(value[:min(len(value), maxAddress)])
	case field == "state" && fd == l.fd && string(value) != "conn_listening":
		host, remote := hostOf(l.address)
		if !remote {
			return nil
		}
		if l.clients[host] = true; len(l.clients) > maxClients {
			return errCrowded
		}
	}
	return nil
}

// hostOf returns the host of an address such as tcp:192.0.2.1:4711 or tcp6:[::1]:4711, and whether it is another pod or a node. Other containers of
// the pod, such as the exporter, connect from 127.0.0.1 or ::1. The sidecar of Istio connects from 127.0.0.6 for remote clients:
// https://github.com/kubevirt/kubevirt/commit/a24ada60a7450a984640627c24690c4f12afe358. An unknown address counts as remote, because
// otherwise the items could be lost.
func hostOf(address string) (host string, remote bool) {
	protocol, rest, _ := strings.Cut(address, ":")
	parsed, err := netip.ParseAddrPort(rest)
	if err != nil {
		return address, protocol != "unix"
	}
	peer := parsed.Addr().Unmap()
	return peer.String(), peer != netip.IPv6Loopback() && peer != netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// usage follows the clients of a memcached. A client uses it if two samples in a row have the same host: a TCP probe of the kubelet connects from the
// node and closes the connection immediately.
type usage struct {
	// before is the last sample; nil if it is unknown.
	before clients
	// since is when memcached may have been in use last.
	since time.Time
}

// quietFor adds a sample, and returns for how long no client has used memcached. found is nil if it is unknown.
func (u *usage) quietFor(now time.Time, found clients) time.Duration {
	before := u.before
	u.before = found
	if before == nil || found == nil || before.intersects(found) {
		u.since = now
	}
	return now.Sub(u.since)
}

func (c clients) intersects(other clients) bool {
	for each := range c {
		if other[each] {
			return true
		}
	}
	return false
}
