package command

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/example/memcached-operator/webhook/memcached/client"
)

// config returns how to connect.
func (o *adviseOptions) config(command *cobra.Command) (client.Config, error) {
	config := client.Config{Timeout: o.timeout, Auth: map[string]client.Auth{"ascii": client.AuthASCII}[o.auth], User: o.user}
	if o.auth != "none" {
		content, err := readFile(o.passwordFile, command.InOrStdin())
		if err != nil {
			return config, err
		}
		if config.User, config.Password, err = login(o.user, o.passwordFile, string(content)); err != nil {
			return config, err
		}
	}
	if !o.useTLS {
		return config, nil
	}
	config.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: o.name}
	if o.ca != "" {
		content, err := readFile(o.ca, command.InOrStdin())
		if err != nil {
			return config, err
		}
		config.TLS.RootCAs = x509.NewCertPool()
		if !config.TLS.RootCAs.AppendCertsFromPEM(content) {
			return config, fmt.Errorf("%s does not contain a certificate in PEM", o.ca)
		}
	}
	if o.certificate != "" {
		certificate, err := tls.LoadX509KeyPair(o.certificate, o.key)
		if err != nil {
			return config, fmt.Errorf("cannot load the client certificate: %w", err)
		}
		config.TLS.Certificates = []tls.Certificate{certificate}
	}
	return config, nil
}

// login returns the user and the password of a file with a password, or with lines of user:password. Without a user, it is the
// user of the first line. A file of several lines is never a password as a whole: the server must not get those of other users.
func login(user, file, content string) (name, password string, err error) {
	content = strings.TrimRight(content, "\r\n")
	for line := range strings.Lines(content) {
		name, password, found := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if found && (user == "" || user == name) {
			return name, password, nil
		}
	}
	switch {
	case !strings.Contains(content, "\n"):
		return user, content, nil
	case user == "":
		return "", "", fmt.Errorf("%s has several lines, but none has the form user:password", file)
	default:
		return "", "", fmt.Errorf("user %q is not in %s", user, file)
	}
}
