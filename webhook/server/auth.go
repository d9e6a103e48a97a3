package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// tokenHash is the hash of a token. Hashes have the same length, so comparing them takes constant time.
type tokenHash [sha256.Size]byte

// authorizer decides which callers may call the hooks. The zero value accepts all callers.
type authorizer struct {
	clientCAs *credentials[*x509.CertPool] // a caller needs a certificate from one of them
	names     []string                     // with one of these names, if there are any
	tokens    *credentials[[]tokenHash]
}

func newAuthorizer(config Config) (*authorizer, error) {
	var err error
	a := &authorizer{names: config.TLS.ClientNames}
	if config.TLS.ClientCAFile != "" {
		if a.clientCAs, err = loadCredentials(config.Logger, config.TLS.readClientCAs, config.TLS.ClientCAFile); err != nil {
			return nil, err
		}
	}
	if config.TokenFile == "" {
		return a, nil
	}
	if config.TLS.CertFile == "" {
		config.Logger.Warn("bearer tokens are sent over plain HTTP, so others can read them")
	}
	a.tokens, err = loadCredentials(config.Logger, func() ([]tokenHash, error) { return readTokens(config.TokenFile) }, config.TokenFile)
	return a, err
}

// authorize returns 401 without valid credentials and 403 if the caller's certificate has none of the allowed names. It begins with the token, because
// to verify certificates takes time.
func (a *authorizer) authorize(r *http.Request) error {
	if a.tokens != nil {
		if err := a.checkToken(r); err != nil {
			return err
		}
	}
	if a.clientCAs != nil {
		return a.checkCertificate(r)
	}
	return nil
}

func (a *authorizer) checkToken(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return &httpError{http.StatusUnauthorized, "the request has no bearer token. Set authorization in the CompositeController"}
	}
	if !contains(a.tokens.current(), sha256.Sum256([]byte(strings.TrimSpace(token)))) {
		return &httpError{http.StatusUnauthorized, "the bearer token is not in the file --token-file of the hook"}
	}
	return nil
}

// maxChain is how many certificates a caller may present. To verify one with many intermediate certificates takes much CPU time.
const maxChain = 3

// checkCertificate verifies the certificate of a caller at each request, because a connection may outlive the removal of its CA. A caller without a
// valid one gets a sentence, instead of a TLS alert during the handshake.
func (a *authorizer) checkCertificate(r *http.Request) error {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return &httpError{http.StatusUnauthorized, "the caller has no client certificate. Set clientTLS in the CompositeController"}
	}
	presented := r.TLS.PeerCertificates
	if len(presented) > maxChain {
		return &httpError{http.StatusUnauthorized, fmt.Sprintf("the caller has presented %d certificates, but at most %d are allowed", len(presented), maxChain)}
	}
	options := x509.VerifyOptions{Roots: a.clientCAs.current(), Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, intermediate := range presented[1:] {
		options.Intermediates.AddCert(intermediate)
	}
	if _, err := presented[0].Verify(options); err != nil {
		return &httpError{http.StatusUnauthorized, fmt.Sprintf("verifying the client certificate with --client-ca of the hook: %v", err)}
	}
	if len(a.names) == 0 {
		return nil
	}
	names := namesOf(presented[0])
	if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(a.names, name) }) {
		return &httpError{http.StatusForbidden, fmt.Sprintf("the client certificate has the names %q, but --client-names of the hook allows none of them", names)}
	}
	return nil
}

// namesOf returns the DNS names, URIs and common name of a certificate.
func namesOf(certificate *x509.Certificate) []string {
	names := slices.Clone(certificate.DNSNames)
	for _, uri := range certificate.URIs {
		names = append(names, uri.String())
	}
	if certificate.Subject.CommonName != "" {
		names = append(names, certificate.Subject.CommonName)
	}
	return names
}

// contains compares all tokens, so that its duration reveals nothing about them.
func contains(tokens []tokenHash, presented tokenHash) bool {
	found := 0
	for _, token := range tokens {
		found |= subtle.ConstantTimeCompare(token[:], presented[:])
	}
	return found == 1
}

// readTokens reads one token from each line of a file, which may begin with a byte order mark. All tokens are valid, so that a new
// one can be added before an old one is removed.
func readTokens(file string) ([]tokenHash, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	var tokens []tokenHash
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		if token := strings.TrimSpace(line); token != "" {
			tokens = append(tokens, sha256.Sum256([]byte(token)))
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("reading the tokens: %s contains no token", file)
	}
	return tokens, nil
}
