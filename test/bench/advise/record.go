package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/example/memcached-operator/test/internal/process"
	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/memcached/client"
)

// server is a running memcached and the connection of the client.
type server struct {
	*process.Process
	net.Conn
	reader  *bufio.Reader
	address string
}

func startServer(program string, memory int, args []string) (*server, error) {
	address, err := process.FreeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	p := &process.Process{Path: program, Args: []string{"-l", "127.0.0.1", "-p", port, "-m", strconv.Itoa(memory)}}
	p.Args = append(p.Args, args...)
	p.Attr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		p.Args = append(p.Args, "-u", "root")
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.WaitFor(ctx, process.Listens(address)); err != nil {
		return nil, err
	}
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &server{Process: p, Conn: connection, reader: bufio.NewReader(connection), address: address}, nil
}

// send sends operations, and stores what the server does not have.
func (s *server) send(c scenario, batch []operation) error {
	var b bytes.Buffer
	for _, o := range batch {
		switch o.kind {
		case 'g':
			fmt.Fprintf(&b, "mg %s v\r\n", name(o.key))
		case 's':
			c.store(&b, o.key)
		case 'd':
			fmt.Fprintf(&b, "md %s\r\n", name(o.key))
		}
	}
	if _, err := s.Write(b.Bytes()); err != nil {
		return err
	}
	b.Reset()
	missing := 0
	for _, o := range batch {
		missed, err := s.response(o)
		if err != nil {
			return err
		}
		if missed {
			missing++
			c.store(&b, o.key)
		}
	}
	if _, err := s.Write(b.Bytes()); err != nil {
		return err
	}
	for range missing {
		if _, err := s.response(operation{kind: 's'}); err != nil {
			return err
		}
	}
	return nil
}

// response reads the response to an operation, and reports whether the item is missing.
func (s *server) response(o operation) (missing bool, err error) {
	line, err := s.reader.ReadString('\n')
	switch {
	case err != nil:
		return false, err
	case strings.HasPrefix(line, "EN"):
		return true, nil
	case strings.HasPrefix(line, "VA "):
		size, err := strconv.Atoi(strings.TrimSpace(line[3:]))
		if err == nil {
			_, err = s.reader.Discard(size + 2)
		}
		return false, err
	case o.kind == 'g', line != "HD\r\n" && line != "NF\r\n":
		return false, fmt.Errorf("%c: %q", o.kind, line)
	}
	return false, nil
}

// value has the bytes of all values.
var value = bytes.Repeat([]byte("x"), 8192)

func (c scenario) store(b *bytes.Buffer, key uint64) {
	size := c.size(key)
	fmt.Fprintf(b, "ms %s %d T%d\r\n%s\r\n", name(key), size, c.ttl(key), value[:size])
}

const (
	ticks        = 20 // per second
	warmupFactor = 3
)

// record sends the commands of a scenario to three servers, and returns what advise reads from them in the measured interval.
func record(o options, c scenario) (r recording, err error) {
	r.Scenario, r.Description = c.name, c.description
	var servers []*server
	for _, memory := range []int{o.memory * c.memory / 2, o.memory * c.memory, 2 * o.memory * c.memory} {
		s, err := startServer(o.program, memory, c.args)
		if err != nil {
			return r, err
		}
		defer func() { _ = s.Kill() }()
		servers = append(servers, s)
	}
	g := newGenerator(c)
	if err := load(g, servers, warmupFactor*c.rate, o.warmup); err != nil {
		return r, err
	}
	if err := load(g, servers, c.rate, o.steady); err != nil {
		return r, err
	}
	var readers sync.WaitGroup
	errs := make([]error, len(servers))
	r.Samples = make([]*advise.Sample, len(servers))
	for i, s := range servers {
		readers.Go(func() {
			limits := advise.Limits{Watch: o.watch, Items: 10_000_000, Listing: time.Minute}
			r.Samples[i], errs[i] = advise.Read(context.Background(), s.address, client.Config{Timeout: 10 * time.Second}, limits, func(string) {})
		})
	}
	err = load(g, servers, c.rate, o.watch+2*time.Second)
	readers.Wait()
	return r, errors.Join(append(errs, err)...)
}

// load sends operations to all servers at a rate, in batches.
func load(g *generator, servers []*server, rate int, d time.Duration) error {
	tick := time.NewTicker(time.Second / ticks)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); {
		<-tick.C
		batch := make([]operation, rate/ticks)
		for i := range batch {
			batch[i] = g.next()
		}
		for _, s := range servers {
			if err := s.send(g.scenario, batch); err != nil {
				return err
			}
		}
	}
	return nil
}
