package check

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// callTimeout limits a call. It is above usual timeouts of webhooks, so that a check can report how long the hook takes.
const callTimeout = 30 * time.Second

// Endpoint is where the hooks of a CompositeController listen, and the files with the credentials that they need.
type Endpoint struct{ URL, TokenFile, CA, Cert, Key string }

// hook is the hooks of a CompositeController.
type hook struct {
	client *http.Client
	token  string
	urls   map[string]string // of sync, finalize and customize
}

// Connect returns a function that calls the hooks, at the paths of the CompositeController.
func (e Endpoint) Connect(controller map[string]any) (func(hook string, body []byte) Response, error) {
	base, err := url.Parse(e.URL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%q is not a URL with a host", e.URL)
	}
	config := &tls.Config{}
	if e.CA != "" {
		authority, err := os.ReadFile(e.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authority) {
			return nil, fmt.Errorf("%s has no certificate", e.CA)
		}
	}
	if e.Cert != "" || e.Key != "" {
		certificate, err := tls.LoadX509KeyPair(e.Cert, e.Key)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	h := &hook{urls: map[string]string{}, client: &http.Client{Timeout: callTimeout, Transport: &http.Transport{TLSClientConfig: config}}}
	if e.TokenFile != "" {
		token, err := os.ReadFile(e.TokenFile)
		if err != nil {
			return nil, err
		}
		h.token = strings.TrimSpace(string(token))
	}
	for name, each := range Hooks(controller) {
		whole, err := url.Parse(cmp.Or(each.URL, each.Path))
		if err != nil {
			return nil, fmt.Errorf("the URL of the hook %s: %w", name, err)
		}
		h.urls[name] = base.JoinPath(whole.Path).String()
	}
	if h.urls["sync"] == "" {
		return nil, errors.New("the CompositeController has no sync hook with a webhook")
	}
	port := cmp.Or(base.Port(), map[string]string{"https": "443"}[base.Scheme], "80")
	return h.call, reachable(net.JoinHostPort(base.Hostname(), port))
}

// call posts a request as Metacontroller does.
func (h *hook) call(name string, body []byte) Response {
	request, err := http.NewRequest(http.MethodPost, h.urls[name], bytes.NewReader(body))
	if err != nil {
		return Response{Err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	start := time.Now()
	response, err := h.client.Do(request)
	if err != nil {
		return Response{Err: err}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return Response{Err: err, Code: response.StatusCode, RetryAfter: response.Header.Get("Retry-After"), Body: content, Took: time.Since(start)}
}

// reachable returns an error if nothing listens at the address.
func reachable(address string) error {
	connection, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return fmt.Errorf("the hook is not running: %w", err)
	}
	return connection.Close()
}
