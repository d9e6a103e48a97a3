//go:build servers

package servers

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/example/memcached-operator/test/ca"
	"github.com/example/memcached-operator/webhook/advise"
	"github.com/example/memcached-operator/webhook/command"
	memcachedclient "github.com/example/memcached-operator/webhook/memcached/client"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const adviseItems = 3000

// TestAdvise checks that advise reads servers with each kind of login, and that it changes nothing.
func TestAdvise(t *testing.T) {
	issuer := ca.New()
	for _, c := range []combination{
		{}, {clientAuth: v1alpha1.ClientAuthNone}, {clientAuth: v1alpha1.ClientAuthRequire}, {mode: v1alpha1.AuthASCII},
		{clientAuth: v1alpha1.ClientAuthRequire, mode: v1alpha1.AuthASCII}, {mode: v1alpha1.AuthSASL, metrics: true},
	} {
		t.Run(c.String(), func(t *testing.T) {
			s, _, _ := startSecure(t, c.spec(), issuer)
			if c.mode == v1alpha1.AuthSASL { // the loopback port has no SASL
				c, s.address = combination{}, s.ports[loopbackPort]
			}
			c.checkAdvise(t, s, issuer)
		})
	}
	t.Run("the memcached of the distribution", func(t *testing.T) {
		address := freeAddress(t)
		_, port := cutColon(address)
		s := launch(t, "memcached", []string{"-l", "127.0.0.1", "-p", port}, nil, map[string]string{port: address})
		s.address = address
		combination{}.checkAdvise(t, s, issuer)
	})
}

// TestAdvisePasswordOfOpenServer checks that a password is not stored as an item of a server that requires none.
func TestAdvisePasswordOfOpenServer(t *testing.T) {
	s, _, _ := startSecure(t, combination{}.spec(), ca.New())
	config := memcachedclient.Config{Timeout: 5 * time.Second, Auth: memcachedclient.AuthASCII, User: user, Password: password}
	if _, err := memcachedclient.Dial(t.Context(), s.address, config); err == nil || !strings.Contains(err.Error(), "Remove --auth") {
		t.Errorf("got the error %v, want one with --auth", err)
	}
	if items := s.stats(t, "stats")["curr_items"]; items != "0" {
		t.Errorf("the server has %s items, want 0", items)
	}
}

// TestAdviseIdleTimeout checks that the interval may be longer than a server keeps idle connections.
func TestAdviseIdleTimeout(t *testing.T) {
	spec := combination{}.spec()
	spec.Cache.ExtraArgs = []string{"-o", "idle_timeout=1"}
	s, _, _ := startSecure(t, spec, ca.New())
	runAdvise(t, []string{"--watch=7s", "--output=json", s.address}) // memcached checks every 5 s
}

// TestProxyAdvise checks that advise refuses the address of a proxy.
func TestProxyAdvise(t *testing.T) {
	proxy := startProxy(t, addresses(startServers(t, 1)))
	limits := advise.Limits{Watch: time.Minute, Items: 1, Listing: time.Second}
	_, err := advise.Read(t.Context(), proxy.address, memcachedclient.Config{Timeout: 5 * time.Second}, limits)
	if err == nil || !strings.Contains(err.Error(), proxy.address+" is a proxy") {
		t.Errorf("got the error %v", err)
	}
}

// checkAdvise runs advise while a client gets the items, each second of which is missing.
func (c combination) checkAdvise(t *testing.T, s server, issuer *ca.CA) {
	t.Helper()
	args, config := c.adviseFlags(t, issuer)
	defer c.startGets(t, s, config)()
	cache, err := json.Marshal(v1alpha1.Memcached{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Memcached"},
		ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: "default"},
		Spec:       c.spec(),
		Status:     v1alpha1.MemcachedStatus{Servers: []string{s.address}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var report advise.Report
	if err := json.Unmarshal(runAdvise(t, append(args, "--filename="+inFile(t, cache))), &report); err != nil {
		t.Fatal(err)
	}
	got := report.Servers[0]
	if got.Items != adviseItems || got.LoggedGets == 0 || got.HitRatio < 0.45 || got.HitRatio > 0.55 {
		t.Errorf("got %+v, want a hit ratio of about 0.5, %d items, and gets in the log", got, adviseItems)
	}
	if got.Curve == nil && !strings.Contains(got.NoCurve, "the interval has only") && !strings.Contains(got.NoCurve, "the log of the server has only") { // on a slow machine
		t.Errorf("there is no curve: %s", got.NoCurve)
	}
}

// adviseFlags returns the flags for a combination, and how another client connects with TLS.
func (c combination) adviseFlags(t *testing.T, issuer *ca.CA) (args []string, config *tls.Config) {
	t.Helper()
	args = []string{"--watch=2s", "--output=json"}
	if c.clientAuth != "" {
		certificate, key := issuer.Issue(ca.Subject{CommonName: "client"})
		authorities, certificateFile, keyFile := inFile(t, issuer.PEM()), inFile(t, certificate), inFile(t, key)
		args = append(args, "--tls", "--tls-ca="+authorities, "--tls-server-name=cache", "--tls-cert="+certificateFile, "--tls-key="+keyFile)
		config = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: issuer.Pool(), ServerName: "cache", Certificates: []tls.Certificate{issuer.Certificate(ca.Subject{CommonName: "client"})}}
	}
	if c.mode != "" {
		args = append(args, "--auth="+strings.ToLower(string(c.mode)), "--user="+user, "--password-file="+inFile(t, []byte(password+"\n")))
	}
	return args, config
}

// startGets stores items and gets them until the returned function is called, which checks that they are all there.
func (c combination) startGets(t *testing.T, s server, config *tls.Config) func() {
	t.Helper()
	connection, err := dial(s.address, config)
	if err != nil {
		t.Fatal(err)
	}
	if err := use(connection, string(c.mode), user, password); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(connection)
	send := func(text string) string {
		if _, err := fmt.Fprintf(connection, "%s\r\n", text); err != nil {
			t.Error(err)
		}
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		return line
	}
	for i := range adviseItems - 1 { // login has stored one
		send(fmt.Sprintf("ms item%d 1\r\nx", i))
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer connection.Close()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := connection.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
				t.Error(err)
			}
			send(fmt.Sprintf("mg item%d", i%(adviseItems-1)))
			send("mg missing")
		}
	}()
	return func() { close(stop); <-stopped }
}

// runAdvise runs the command and returns its output.
func runAdvise(t *testing.T, args []string) []byte {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	oldArgs, oldStdout := os.Args, os.Stdout
	defer func() { os.Args, os.Stdout = oldArgs, oldStdout }()
	os.Args, os.Stdout = append([]string{"memcached-operator", "advise"}, args...), output
	if code := command.Main("test"); code != 0 {
		t.Fatalf("advise %q: exit code %d", args, code)
	}
	content, err := os.ReadFile(output.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func inFile(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
