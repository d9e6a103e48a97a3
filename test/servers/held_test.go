//go:build servers

package servers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/example/memcached-operator/webhook/command"
	"github.com/example/memcached-operator/webhook/hold"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

// held is a memcached with its sidecar.
type held struct {
	server
	kubelet string // the URL of the sidecar
	log     chan string
}

// startHeld starts memcached and its sidecar with the arguments of the pod. A grace period of 0 is that of the pod.
func startHeld(t *testing.T, grace time.Duration, before func(held)) held {
	t.Helper()
	template := pod(t, v1alpha1.MemcachedSpec{Size: new(int32(1)), Proxy: &v1alpha1.Proxy{}, Cache: v1alpha1.Cache{MaxConnections: new(int64(64))}})
	container, sidecar := template.Spec.Containers[0], template.Spec.InitContainers[0]
	h := held{server: start(t, container, ""), log: make(chan string, 100)}
	before(h)

	listener := freeAddress(t)
	h.kubelet = "http://" + listener
	var config hold.Config
	if err := command.HoldFlags(&config).Parse(sidecar.Args[1:]); err != nil {
		t.Fatal(err)
	}
	probe, hook := container.LivenessProbe.HTTPGet, container.Lifecycle.PreStop.HTTPGet
	if called := ":" + probe.Port.String(); config.Address != called || hook.Port != probe.Port || config.Memcached != "127.0.0.1:"+declared(container) ||
		config.Grace != time.Duration(*template.Spec.TerminationGracePeriodSeconds)*time.Second || hook.Path != "/hold" || probe.Path != "/alive" {
		t.Fatalf("the sidecar has the arguments %q, but the kubelet calls %+v and %+v", sidecar.Args, probe, hook)
	}
	config.Address, config.Memcached = listener, h.address
	if grace > 0 {
		config.Grace = grace
	}
	config.Logger = slog.New(slog.NewTextHandler(holdLog(h.log), nil))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hold.Run(ctx, config) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	h.awaitAlive(t, http.StatusOK)
	return h
}

// holdLog is a log that sends each line.
type holdLog chan string

func (l holdLog) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// remote connects from an address that is not that of the sidecar, so that memcached shows it as one of another pod.
var remote = net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: 20 * time.Second}

// connect connects a remote client, and returns when memcached has accepted it, or what memcached responds to one that it refuses.
func (h held) connect(t *testing.T) (connection net.Conn, response string) {
	t.Helper()
	connection, response, err := h.tryConnect(t)
	if err != nil {
		t.Fatal(err)
	}
	return connection, response
}

// tryConnect returns the error of the first request.
func (h held) tryConnect(t *testing.T) (connection net.Conn, response string, err error) {
	t.Helper()
	connection, err = remote.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	fmt.Fprint(connection, "version\r\n")
	response, err = bufio.NewReader(connection).ReadString('\n')
	return connection, response, err
}

// fill connects remote clients until memcached refuses one.
func (h held) fill(t *testing.T) (clients []net.Conn) {
	t.Helper()
	for range 64 {
		connection, response, err := h.tryConnect(t)
		clients = append(clients, connection)
		// memcached closes a connection above its limit after the response, which a reset can overtake.
		if strings.HasPrefix(response, "ERROR Too many open connections") || errors.Is(err, syscall.ECONNRESET) {
			return clients
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("memcached accepts more than its limit of connections")
	return nil
}

func (h held) get(ctx context.Context, path string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.kubelet+path, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// awaitAlive waits until the liveness probe gets a status, within its timeout.
func (h held) awaitAlive(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		status, body, err := h.get(ctx, "/alive")
		cancel()
		if status == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("/alive returns %d %s %v, want %d", status, body, err, want)
		}
	}
}

// hold calls the preStop hook, and returns its response.
func (h held) hold(ctx context.Context, t *testing.T) <-chan string {
	t.Helper()
	ended := make(chan string, 1)
	go func() {
		_, body, err := h.get(ctx, "/hold")
		ended <- fmt.Sprint(body, err)
	}()
	<-h.log // the hold has begun
	return ended
}

func (h held) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(h.PID(), signal); err != nil {
		t.Fatal(err)
	}
}
