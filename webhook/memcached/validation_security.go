package memcached

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
)

func validateSecurity(spec *Spec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if tls := spec.TLS; tls != nil {
		errs = append(errs, requiredName(path.Child("tls", "secretName"), tls.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "clientAuth"), tls.ClientAuth, "", ClientAuthNone, ClientAuthRequest, ClientAuthRequire)...)
		errs = append(errs, corevalidation.OneOf(path.Child("tls", "plaintext"), tls.Plaintext, "", PlaintextDisabled, PlaintextEnabled)...)
	}
	if auth := spec.Auth; auth != nil {
		errs = append(errs, requiredName(path.Child("auth", "secretName"), auth.SecretName)...)
		errs = append(errs, corevalidation.OneOf(path.Child("auth", "mode"), auth.Mode, "", AuthSASL, AuthASCII)...)
	}
	return errs
}

func requiredName(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "name the Secret")}
	}
	return optionalName(path, name)
}
