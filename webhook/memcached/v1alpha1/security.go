package v1alpha1

// ClientAuth says what memcached asks of the clients that connect over TLS.
//
// +kubebuilder:validation:Enum=None;Request;Require
type ClientAuth string

const (
	// ClientAuthNone asks for no certificate.
	ClientAuthNone ClientAuth = "None"
	// ClientAuthRequest asks for a certificate, verifies the one that is presented and lets in who presents none.
	ClientAuthRequest ClientAuth = "Request"
	// ClientAuthRequire refuses a client without a certificate of the authority.
	ClientAuthRequire ClientAuth = "Require"
)

// Plaintext says whether memcached serves without TLS too.
//
// +kubebuilder:validation:Enum=Disabled;Enabled
type Plaintext string

const (
	// PlaintextDisabled leaves only TLS.
	PlaintextDisabled Plaintext = "Disabled"
	// PlaintextEnabled adds a port without TLS, for clients on their way to it.
	PlaintextEnabled Plaintext = "Enabled"
)

// TLS encrypts the connections to the cache.
type TLS struct {
	// secretName is a Secret of the namespace of type kubernetes.io/tls: tls.crt, tls.key and, where clients present
	// certificates, ca.crt with the authorities of those. cert-manager writes such a Secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	SecretName string `json:"secretName,omitempty"`
	// clientAuth says whether clients present a certificate: None, the default, Request, which lets in a client without
	// one, or Require, which does not.
	// +optional
	ClientAuth ClientAuth `json:"clientAuth,omitempty"`
	// plaintext Enabled serves on port 11212 without TLS, beside port 11211 with it. By default Disabled.
	// +optional
	Plaintext Plaintext `json:"plaintext,omitempty"`
}

// AuthMode is how a client logs in.
//
// +kubebuilder:validation:Enum=SASL;ASCII
type AuthMode string

const (
	// AuthSASL is SASL's mechanism PLAIN over the binary protocol.
	AuthSASL AuthMode = "SASL"
	// AuthASCII is the ASCII protocol, whose first command on a connection is a set with the user and the password.
	AuthASCII AuthMode = "ASCII"
)

// Auth asks clients for a user and a password.
type Auth struct {
	// secretName is a Secret of the namespace with the key passwords: lines of user:password.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	SecretName string `json:"secretName,omitempty"`
	// mode is how clients log in: SASL, the default, over the binary protocol, or ASCII. A user of SASL has a realm, as
	// in app@shop, for to a name without one memcached adds the name of the pod. In ASCII mode at most 8 users are read,
	// and there are no metrics.
	// +optional
	Mode AuthMode `json:"mode,omitempty"`
}
