package webhook

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

// callerError says that a caller is not let in: 401 when it did not say who it is, 403 when that is not enough.
type callerError struct {
	code     int
	sentence string
}

func (e *callerError) Error() string { return e.sentence }

// tokenHash is what is kept of a token: hashes have one length, so comparing them takes one time.
type tokenHash [sha256.Size]byte

// callers are those that may call the hooks. The zero value lets everybody in.
type callers struct {
	certificates bool
	names        []string
	tokens       *reloaded[[]tokenHash]
}

func newCallers(config Config) (*callers, error) {
	c := &callers{certificates: config.TLS.ClientCAFile != "", names: config.TLS.ClientNames}
	if config.TokenFile == "" {
		return c, nil
	}
	if config.TLS.CertFile == "" {
		config.Logger.Warn("tokens come over plain HTTP, where others can read them")
	}
	var err error
	c.tokens, err = newReloaded(config.Logger, func() ([]tokenHash, error) { return readTokens(config.TokenFile) }, config.TokenFile)
	return c, err
}

// authorize returns a callerError unless the caller has all that is asked for.
func (c *callers) authorize(r *http.Request) error {
	if c.certificates {
		if err := c.checkCertificate(r); err != nil {
			return err
		}
	}
	if c.tokens == nil {
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return &callerError{http.StatusUnauthorized, "a caller of this hook needs a bearer token: set authorization in the CompositeController"}
	}
	if !known(c.tokens.get(), sha256.Sum256([]byte(strings.TrimSpace(token)))) {
		return &callerError{http.StatusUnauthorized, "the bearer token is not one that this hook knows"}
	}
	return nil
}

func (c *callers) checkCertificate(r *http.Request) error {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return &callerError{http.StatusUnauthorized, "a caller of this hook needs a certificate: set clientTLS in the CompositeController"}
	}
	if len(c.names) == 0 {
		return nil
	}
	names := namesOf(r.TLS.VerifiedChains[0][0])
	if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(c.names, name) }) {
		return &callerError{http.StatusForbidden, fmt.Sprintf("the certificate is for %q, who may not call this hook", names)}
	}
	return nil
}

// namesOf returns the names that a certificate vouches for.
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

// known compares with every token, so that the time it takes tells nothing.
func known(tokens []tokenHash, presented tokenHash) bool {
	found := 0
	for _, token := range tokens {
		found |= subtle.ConstantTimeCompare(token[:], presented[:])
	}
	return found == 1
}

// readTokens reads one token from each line; all of them are valid, so that a new one can be added before an old one goes.
func readTokens(file string) ([]tokenHash, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	var tokens []tokenHash
	for line := range strings.Lines(string(content)) {
		if token := strings.TrimSpace(line); token != "" {
			tokens = append(tokens, sha256.Sum256([]byte(token)))
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("reading the tokens: %s holds none", file)
	}
	return tokens, nil
}
