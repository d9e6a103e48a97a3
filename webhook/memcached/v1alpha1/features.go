package v1alpha1

// The methods of this file expect the defaults of WithDefaults.

// AuthMode returns how clients authenticate; "" if they do not.
func (s *MemcachedSpec) AuthMode() AuthMode {
	if s.Auth == nil {
		return ""
	}
	return s.Auth.Mode
}

// ClientAuth returns how certificates of clients are verified; None without TLS.
func (s *MemcachedSpec) ClientAuth() ClientAuth {
	if s.TLS == nil {
		return ClientAuthNone
	}
	return s.TLS.ClientAuth
}

// ServesPlaintext reports whether memcached has a second client port, without TLS.
func (s *MemcachedSpec) ServesPlaintext() bool {
	return s.TLS != nil && s.TLS.Plaintext == PlaintextEnabled
}

// ForServers returns the spec by which servers serve. Those behind proxies serve without TLS, because clients connect to the proxies.
func (s *MemcachedSpec) ForServers() *MemcachedSpec {
	if s.Proxy == nil || s.TLS == nil {
		return s
	}
	servers := *s
	servers.TLS = nil
	return &servers
}

// HasExporter reports whether the pods have an exporter. It cannot authenticate with ASCII passwords.
func (s *MemcachedSpec) HasExporter() bool {
	return s.Metrics.Enabled && s.AuthMode() != AuthASCII
}

// NeedsReloader reports whether memcached must reload a Secret after a change. SASL passwords need no reload, because
// memcached reads them at each login.
func (s *MemcachedSpec) NeedsReloader() bool {
	return s.TLS != nil || s.AuthMode() == AuthASCII
}

// WarmsUp reports whether items move to other servers during a change of size or of the pods.
func (s *MemcachedSpec) WarmsUp() bool { return s.Proxy != nil && *s.Proxy.Warmup.Enabled }
