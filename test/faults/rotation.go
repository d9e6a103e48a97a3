package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/requests"
)

// rotation replaces certificate, key, client CA and tokens repeatedly, while clients with open and with new connections send
// requests. No request may fail.
func rotation(ctx context.Context, s suite) ([]result, error) {
	const rotations = 20
	dir, err := os.MkdirTemp(s.dir, "rotation")
	if err != nil {
		return nil, err
	}
	issuer := ca.New()
	write := func(number int) {
		certificate, key := issuer.Issue(ca.Subject{CommonName: "hook " + strconv.Itoa(number)})
		ca.Write(dir, "tls.crt", certificate)
		ca.Write(dir, "tls.key", key) // between the two writes they do not match
		// The previous token stays valid until the clients have changed theirs.
		ca.Write(dir, "token", fmt.Appendf(nil, "token-%d\ntoken-%d\n", number-1, number))
	}
	write(0)
	ca.Write(dir, "ca.crt", issuer.PEM())
	server, err := start(ctx, s.binary,
		"-tls-cert="+filepath.Join(dir, "tls.crt"), "-tls-key="+filepath.Join(dir, "tls.key"),
		"-client-ca="+filepath.Join(dir, "ca.crt"), "-client-names=metacontroller", "-token-file="+filepath.Join(dir, "token"))
	if err != nil {
		return nil, err
	}
	defer server.kill()

	var current atomic.Int64
	token := func() string { return "token-" + strconv.FormatInt(current.Load(), 10) }
	seen := new(sync.Map)
	config := &tls.Config{
		RootCAs:      issuer.Pool(),
		Certificates: []tls.Certificate{issuer.Certificate(ca.Subject{CommonName: "metacontroller"})},
		VerifyConnection: func(state tls.ConnectionState) error {
			seen.Store(state.PeerCertificates[0].Subject.CommonName, true)
			return nil
		},
	}
	body := requests.Sync(3)
	url := "https://" + server.address + syncPath
	open := newClient(2, config)
	open.token = token
	var responses tally
	load, cancel := context.WithCancel(ctx)
	defer cancel()
	wait := loop(load, 4, func(worker int) {
		c := open
		if worker%2 == 1 { // a new connection for each request
			c = newClient(1, config)
			c.token = token
			defer c.http.CloseIdleConnections()
		}
		began := time.Now()
		got, err := c.post(ctx, url, body)
		responses.add(got.code, time.Since(began), err)
		pause(load, 5*time.Millisecond)
	})
	for number := 1; number <= rotations; number++ {
		write(number)
		pause(ctx, 1200*time.Millisecond) // the server reads the files every second
		current.Store(int64(number))
	}
	cancel()
	wait()
	stale := newClient(1, config)
	stale.token = func() string { return "token-0" }
	old, err := stale.post(ctx, url, body)
	if err != nil {
		return nil, err
	}
	distinct := 0
	seen.Range(func(any, any) bool { distinct++; return true })
	failed := responses.except(http.StatusOK)
	figure := fmt.Sprintf("%d of %d requests failed", failed, responses.total())
	if failed > 0 {
		figure += fmt.Sprintf(": %v %v", responses.codes, responses.first)
	}
	return []result{
		{fmt.Sprintf("certificate and token replaced %d times under load", rotations), figure, "none failed", failed == 0},
		{"new files in use", fmt.Sprintf("%d certificates seen, the first token now gets %d", distinct, old.code), fmt.Sprintf("%d, 401", rotations+1), distinct == rotations+1 && old.code == http.StatusUnauthorized},
	}, nil
}
