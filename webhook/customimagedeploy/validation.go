package customimagedeploy

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

// validate repeats the rules of the CRD, because a parent may have been stored before a rule existed. The API server would refuse a
// child, and only a part of the children would change.
func validate(deploy *v1.CustomImageDeploy) error {
	spec := field.NewPath("spec")
	errs := corevalidation.ParentName(deploy)
	errs = append(errs, validateImage(spec.Child("image"), deploy.Spec.Image)...)
	errs = append(errs, validatePort(spec.Child("port"), deploy.Spec.Port)...)
	errs = append(errs, corevalidation.Replicas(spec.Child("size"), size(deploy))...)
	errs = append(errs, validateHost(spec.Child("host"), deploy.Spec.Host)...)
	errs = append(errs, validateIngressClassName(spec.Child("ingressClassName"), deploy.Spec.IngressClassName)...)
	return errs.ToAggregate()
}

// validateListed refuses fields of the Ingress if the CompositeController does not list Ingresses.
func validateListed(spec *v1.CustomImageDeploySpec, children *childGroups) error {
	if children.Ingresses.Listed() {
		return nil
	}
	var errs field.ErrorList
	for _, set := range [][2]string{{"host", spec.Host}, {"ingressClassName", spec.IngressClassName}} {
		if set[1] != "" {
			errs = append(errs, field.Forbidden(field.NewPath("spec", set[0]), "requires an Ingress, but childResources of the CompositeController do not list this kind"))
		}
	}
	return errs.ToAggregate()
}

func validateImage(path *field.Path, image string) field.ErrorList {
	if image == "" {
		return field.ErrorList{field.Required(path, "set the image to run")}
	}
	return corevalidation.Image(path, image)
}

func validatePort(path *field.Path, port *int32) field.ErrorList {
	if port == nil {
		return field.ErrorList{field.Required(path, "set the port on which the image serves HTTP")}
	}
	return invalid(path, *port, validation.IsValidPortNum(int(*port)))
}

// validateHost accepts the same as an Ingress: a DNS name whose first label may be an asterisk, and no IP address.
func validateHost(path *field.Path, host string) field.ErrorList {
	if host == "" {
		return nil
	}
	if strings.Trim(host, "0123456789.") == "" {
		return field.ErrorList{field.Invalid(path, host, "must be a host name, not an IP address")}
	}
	if strings.HasPrefix(host, "*.") {
		return invalid(path, host, validation.IsWildcardDNS1123Subdomain(host))
	}
	return invalid(path, host, validation.IsDNS1123Subdomain(host))
}

func validateIngressClassName(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalid(path, name, validation.IsDNS1123Subdomain(name))
}

func invalid(path *field.Path, value any, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, message := range messages {
		errs = append(errs, field.Invalid(path, value, message))
	}
	return errs
}
