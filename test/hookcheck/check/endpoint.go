package check

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// callTimeout limits a call. It is above usual timeouts of webhooks, so that a check can report how long the hook takes.
const callTimeout = 30 * time.Second

// maxResponse limits the body of a response.
const maxResponse = 16 << 20

// Endpoint is where the hooks of a CompositeController listen, and the files with the credentials that they need.
type Endpoint struct {
	URL string
	// Others are the URLs of hooks that listen elsewhere, by the name of the hook.
	Others                   map[string]string
	TokenFile, CA, Cert, Key string
}

// hook is the hooks of a CompositeController.
type hook struct {
	client *http.Client
	token  string
	urls   map[string]string // of sync, finalize and customize
}

// Connect returns a function that calls the hooks, at the paths of the CompositeController.
func (e Endpoint) Connect(controller map[string]any) (func(hook string, body []byte, etag string) Response, error) {
	urls, err := e.urls(Hooks(controller))
	if err != nil {
		return nil, err
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
	for name, each := range urls {
		h.urls[name] = each.String()
		port := cmp.Or(each.Port(), map[string]string{"https": "443"}[each.Scheme], "80")
		if err := reachable(net.JoinHostPort(each.Hostname(), port)); err != nil {
			return nil, fmt.Errorf("the %s hook is not running: %w", name, err)
		}
	}
	return h.call, nil
}

// urls returns the URLs of webhooks. They keep their paths and queries.
func (e Endpoint) urls(webhooks map[string]Webhook) (map[string]*url.URL, error) {
	urls, servers := map[string]*url.URL{}, map[string]string{}
	for name, each := range webhooks {
		base, err := url.Parse(cmp.Or(e.Others[name], e.URL))
		if err != nil || base.Host == "" {
			return nil, fmt.Errorf("%q is not a URL with a host", cmp.Or(e.Others[name], e.URL))
		}
		whole, err := url.Parse(cmp.Or(each.URL, each.Path))
		if err != nil {
			return nil, fmt.Errorf("the URL of the hook %s: %w", name, err)
		}
		urls[name] = base.JoinPath(whole.Path)
		urls[name].RawQuery = whole.RawQuery
		if e.Others[name] == "" {
			servers[cmp.Or(whole.Host, each.Server)] = name
		}
	}
	if urls["sync"] == nil {
		return nil, errors.New("the CompositeController has no sync hook with a webhook")
	}
	if len(servers) > 1 {
		return nil, fmt.Errorf("the hooks %s are on different servers: give the URL of each, as --hook finalize=URL", strings.Join(slices.Sorted(maps.Values(servers)), " and "))
	}
	return urls, nil
}

// call posts a request as Metacontroller does.
func (h *hook) call(name string, body []byte, etag string) Response {
	request, err := http.NewRequest(http.MethodPost, h.urls[name], bytes.NewReader(body))
	if err != nil {
		return Response{Err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	start := time.Now()
	response, err := h.client.Do(request)
	if err != nil {
		return Response{Err: err}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if len(content) > maxResponse {
		err = fmt.Errorf("the response has more than %d MiB", maxResponse>>20)
	}
	return Response{Err: err, ETag: response.Header.Get("ETag"), Code: response.StatusCode, RetryAfter: response.Header.Get("Retry-After"), Body: content, Took: time.Since(start)}
}

// reachable returns an error if nothing listens at the address.
func reachable(address string) error {
	connection, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	return connection.Close()
}
