package v1alpha1

// ClientAuth determines how memcached verifies the certificates of TLS clients.
//
// +kubebuilder:validation:Enum=None;Request;Require
type ClientAuth string

const (
	// ClientAuthNone does not request a certificate.
	ClientAuthNone ClientAuth = "None"
	// ClientAuthRequest verifies the certificate of a client if it presents one. It also accepts clients without a certificate.
	ClientAuthRequest ClientAuth = "Request"
	// ClientAuthRequire rejects clients without a certificate that the CA has signed.
	ClientAuthRequire ClientAuth = "Require"
)

// Plaintext determines whether memcached also serves without TLS.
//
// +kubebuilder:validation:Enum=Disabled;Enabled
type Plaintext string

const (
	// PlaintextDisabled serves only with TLS.
	PlaintextDisabled Plaintext = "Disabled"
	// PlaintextEnabled adds a port without TLS, for example while clients migrate to TLS.
	PlaintextEnabled Plaintext = "Enabled"
)

// TLS configures the encryption of client connections. With proxies, it applies to the proxies.
type TLS struct {
	// secretName is the name of a Secret of type kubernetes.io/tls in the same namespace. It must have the keys tls.crt and tls.key. If
	// clientAuth is not None, it must also have the key ca.crt with the CA of the clients. cert-manager creates such Secrets.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, starting and ending with a letter or digit"
	SecretName string `json:"secretName,omitempty"`
	// clientAuth determines how the certificates of clients are verified. None requests no certificate. Request also accepts clients without a
	// certificate. Require rejects them.
	// +optional
	// +kubebuilder:default=None
	ClientAuth ClientAuth `json:"clientAuth,omitempty"`
	// plaintext determines whether memcached also serves without TLS on port 11212. Port 11211 always uses TLS.
	// +optional
	// +kubebuilder:default=Disabled
	Plaintext Plaintext `json:"plaintext,omitempty"`
}

// AuthMode determines how clients authenticate.
//
// +kubebuilder:validation:Enum=SASL;ASCII
type AuthMode string

const (
	// AuthSASL uses the SASL mechanism PLAIN over the binary protocol.
	AuthSASL AuthMode = "SASL"
	// AuthASCII uses the ASCII protocol. The first command on a connection is a set with the user and the password.
	AuthASCII AuthMode = "ASCII"
)

// Auth configures the authentication of clients with a user and a password. It cannot be combined with proxies.
type Auth struct {
	// secretName is the name of a Secret in the same namespace. Its key passwords must have one user:password per line.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of an object: lower case letters, digits, dashes and dots, starting and ending with a letter or digit"
	SecretName string `json:"secretName,omitempty"`
	// mode determines how clients authenticate. SASL uses the binary protocol. The name of a SASL user needs a realm, such as app@shop, because
	// otherwise memcached adds the name of the pod as the realm. ASCII uses the ASCII protocol. With ASCII, memcached loads at most 8 users, and
	// metrics are not supported.
	// +optional
	// +kubebuilder:default=SASL
	Mode AuthMode `json:"mode,omitempty"`
}
