package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// endpointConfig configures TLS and credentials for the hooks at a host.
type endpointConfig struct {
	Host     string `json:"host"`
	CABundle struct {
		SecretRef secretRef `json:"secretRef"`
	} `json:"caBundle"`
	ClientTLS struct {
		SecretRef secretRef `json:"secretRef"`
	} `json:"clientTLS"`
	Authorization struct {
		Type      string    `json:"type"`
		SecretRef secretRef `json:"secretRef"`
	} `json:"authorization"`
}

type secretRef struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
}

// caller calls a hook with credentials. The zero value has no credentials.
type caller struct {
	client        http.Client
	authorization string // value of the header; may be empty
}

// newCaller returns a caller with the endpointConfig of the hook's host, if any. Like Metacontroller it reads Secrets once.
func newCaller(ctx context.Context, h *hook, secrets client.Reader, configs []endpointConfig) (*caller, error) {
	c := &caller{}
	target, err := url.Parse(h.Webhook.URL)
	if err != nil {
		return nil, err
	}
	for _, config := range configs {
		if !strings.EqualFold(config.Host, target.Host) {
			continue
		}
		settings := &tls.Config{MinVersion: tls.VersionTLS12}
		if ref := config.CABundle.SecretRef; ref.Name != "" {
			bundle, err := read(ctx, secrets, ref, "ca.crt")
			if err != nil {
				return nil, err
			}
			settings.RootCAs = x509.NewCertPool()
			if !settings.RootCAs.AppendCertsFromPEM([]byte(bundle[0])) {
				return nil, fmt.Errorf("secret %s/%s has no CA certificate", ref.Namespace, ref.Name)
			}
		}
		if ref := config.ClientTLS.SecretRef; ref.Name != "" {
			pair, err := read(ctx, secrets, ref, "tls.crt", "tls.key")
			if err != nil {
				return nil, err
			}
			certificate, err := tls.X509KeyPair([]byte(pair[0]), []byte(pair[1]))
			if err != nil {
				return nil, fmt.Errorf("read secret %s/%s: %w", ref.Namespace, ref.Name, err)
			}
			settings.Certificates = []tls.Certificate{certificate}
		}
		if ref := config.Authorization.SecretRef; ref.Name != "" {
			token, err := read(ctx, secrets, ref, ref.Key)
			if err != nil {
				return nil, err
			}
			c.authorization = config.Authorization.Type + " " + strings.TrimSpace(token[0])
		}
		c.client.Transport = &http.Transport{TLSClientConfig: settings}
		return c, nil
	}
	return c, nil
}

func read(ctx context.Context, secrets client.Reader, ref secretRef, keys ...string) ([]string, error) {
	var secret corev1.Secret
	if err := secrets.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, &secret); err != nil {
		return nil, err
	}
	var values []string
	for _, key := range keys {
		value, found := secret.Data[key]
		if !found {
			return nil, fmt.Errorf("secret %s/%s has no key %s", ref.Namespace, ref.Name, key)
		}
		values = append(values, string(value))
	}
	return values, nil
}
