//go:build faults

package faults

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/test/requests"
)

// TestRotation replaces certificate, key and tokens repeatedly, while clients with open and with new connections send
// requests. No request may fail.
func TestRotation(t *testing.T) {
	const rotations = 20
	dir, issuer := t.TempDir(), ca.New()
	write := func(number int) {
		certificate, key := issuer.Issue(ca.Subject{CommonName: "hook " + strconv.Itoa(number)})
		ca.Write(dir, "tls.crt", certificate)
		ca.Write(dir, "tls.key", key) // between the two writes they do not match
		// The previous token stays valid until the clients have changed theirs.
		ca.Write(dir, "token", fmt.Appendf(nil, "token-%d\ntoken-%d\n", number-1, number))
	}
	write(0)
	p := start(t,
		"--tls-cert="+filepath.Join(dir, "tls.crt"), "--tls-key="+filepath.Join(dir, "tls.key"),
		"--client-ca="+ca.Write(dir, "ca.crt", issuer.PEM()), "--client-names=metacontroller", "--token-file="+filepath.Join(dir, "token"))

	var current atomic.Int64
	var certificates sync.Map
	newCaller := func(keepAlive bool) *client {
		c := newClient(&http.Transport{DisableKeepAlives: !keepAlive, TLSClientConfig: &tls.Config{
			RootCAs:      issuer.Pool(),
			Certificates: []tls.Certificate{issuer.Certificate(ca.Subject{CommonName: "metacontroller"})},
			VerifyConnection: func(state tls.ConnectionState) error {
				certificates.Store(state.PeerCertificates[0].Subject.CommonName, true)
				return nil
			},
		}})
		c.token = func() string { return "token-" + strconv.FormatInt(current.Load(), 10) }
		return c
	}
	body := requests.Sync(3)
	load, cancel := context.WithCancel(t.Context())
	defer cancel()
	callers := []*client{newCaller(true), newCaller(false)}
	wait := loop(load, 4, func(worker int) {
		callers[worker%2].post("https://"+p.address, body)
		pause(load, 5*time.Millisecond)
	})
	for number := 1; number <= rotations; number++ {
		write(number)
		pause(t.Context(), 1200*time.Millisecond) // the program reads the files every second
		current.Store(int64(number))
	}
	cancel()
	wait()
	seen := 0
	certificates.Range(func(any, any) bool { seen++; return true })
	t.Logf("replaced %d times: open connections %v, new connections %v; %d certificates seen", rotations, callers[0].codes, callers[1].codes, seen)
	callers[0].wantOnly(t, 200)
	callers[1].wantOnly(t, 200)
	if seen != rotations+1 {
		t.Errorf("%d certificates were in use, want %d", seen, rotations+1)
	}
	current.Store(0)
	stale := newCaller(true)
	stale.post("https://"+p.address, body)
	stale.wantOnly(t, 401)
}
