package v1alpha1

// ClientAuth is how memcached verifies the certificates of TLS clients.
//
// +kubebuilder:validation:Enum=None;Request;Require
type ClientAuth string

const (
	// ClientAuthNone requests no certificate.
	ClientAuthNone ClientAuth = "None"
	// ClientAuthRequest verifies the certificate of a client that presents one, and accepts a client without one.
	ClientAuthRequest ClientAuth = "Request"
	// ClientAuthRequire refuses a client without a certificate that the CA has signed.
	ClientAuthRequire ClientAuth = "Require"
)

// Plaintext is whether memcached also serves without TLS.
//
// +kubebuilder:validation:Enum=Disabled;Enabled
type Plaintext string

const (
	// PlaintextDisabled serves with TLS only.
	PlaintextDisabled Plaintext = "Disabled"
	// PlaintextEnabled adds a port without TLS, for the time in which clients migrate to TLS.
	PlaintextEnabled Plaintext = "Enabled"
)

// TLS configures the encryption of client connections.
type TLS struct {
	// secretName is the name of a Secret in the same namespace, of type kubernetes.io/tls. It has the keys tls.crt and
	// tls.key, and ca.crt with the CA of the clients if clientAuth is not None. cert-manager creates such Secrets.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, with a letter or digit at both ends"
	SecretName string `json:"secretName,omitempty"`
	// clientAuth is how the certificates of clients are verified. None requests no certificate, Request also accepts clients
	// without one, Require refuses them.
	// +optional
	// +kubebuilder:default=None
	ClientAuth ClientAuth `json:"clientAuth,omitempty"`
	// plaintext is whether memcached also serves without TLS, on port 11212. Port 11211 keeps TLS.
	// +optional
	// +kubebuilder:default=Disabled
	Plaintext Plaintext `json:"plaintext,omitempty"`
}

// AuthMode is how clients authenticate.
//
// +kubebuilder:validation:Enum=SASL;ASCII
type AuthMode string

const (
	// AuthSASL is the SASL mechanism PLAIN over the binary protocol.
	AuthSASL AuthMode = "SASL"
	// AuthASCII is the ASCII protocol. The first command on a connection is a set with the user and the password.
	AuthASCII AuthMode = "ASCII"
)

// Auth configures the authentication of clients by user and password.
type Auth struct {
	// secretName is the name of a Secret in the same namespace. Its key passwords has one user:password per line.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, with a letter or digit at both ends"
	SecretName string `json:"secretName,omitempty"`
	// mode is how clients authenticate: SASL over the binary protocol, or ASCII. A SASL user needs a realm, such as
	// app@shop, because memcached adds the name of the pod to a user without a realm. With ASCII, memcached loads at most 8
	// users and metrics are not supported.
	// +optional
	// +kubebuilder:default=SASL
	Mode AuthMode `json:"mode,omitempty"`
}
