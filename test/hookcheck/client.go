package main

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// callTimeout limits a call. It is above usual timeouts of webhooks, so that a check can report how long the hook takes.
const callTimeout = 30 * time.Second

// hook is the hook of a CompositeController.
type hook struct {
	client *http.Client
	token  string
	urls   map[string]string // of sync, finalize and customize
}

// connect returns the hook at the URL, with the paths of the CompositeController.
func (o options) connect(controller map[string]any) (*hook, error) {
	base, err := url.Parse(o.url)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%q is not a URL with a host", o.url)
	}
	config := &tls.Config{}
	if o.ca != "" {
		authority, err := os.ReadFile(o.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authority) {
			return nil, fmt.Errorf("%s has no certificate", o.ca)
		}
	}
	if o.cert != "" || o.key != "" {
		certificate, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	h := &hook{urls: map[string]string{}, client: &http.Client{Timeout: callTimeout, Transport: &http.Transport{TLSClientConfig: config}}}
	if o.token != "" {
		token, err := os.ReadFile(o.token)
		if err != nil {
			return nil, err
		}
		h.token = strings.TrimSpace(string(token))
	}
	for name, each := range check.Hooks(controller) {
		whole, err := url.Parse(cmp.Or(each.URL, each.Path))
		if err != nil {
			return nil, fmt.Errorf("the URL of the hook %s: %w", name, err)
		}
		h.urls[name] = base.JoinPath(whole.Path).String()
	}
	if h.urls["sync"] == "" {
		return nil, fmt.Errorf("%s has no sync hook with a webhook", o.controller)
	}
	port := cmp.Or(base.Port(), map[string]string{"https": "443"}[base.Scheme], "80")
	return h, reachable(net.JoinHostPort(base.Hostname(), port))
}

// call posts a request as Metacontroller does.
func (h *hook) call(name string, body []byte) check.Response {
	request, err := http.NewRequest(http.MethodPost, h.urls[name], bytes.NewReader(body))
	if err != nil {
		return check.Response{Err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	start := time.Now()
	response, err := h.client.Do(request)
	if err != nil {
		return check.Response{Err: err}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return check.Response{Err: err, Code: response.StatusCode, RetryAfter: response.Header.Get("Retry-After"), Body: content, Took: time.Since(start)}
}

var peakPattern = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf returns the peak of the memory of a process in bytes; 0 if it is unknown.
func peakOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if found := peakPattern.FindSubmatch(text); found != nil {
		kilobytes, _ := strconv.ParseInt(string(found[1]), 10, 64)
		return kilobytes << 10
	}
	return 0
}
