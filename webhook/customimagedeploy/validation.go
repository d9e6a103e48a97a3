package customimagedeploy

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/example/memcached-operator/webhook/corevalidation"
	"github.com/example/memcached-operator/webhook/customimagedeploy/v1"
)

// validate repeats the rules of the CRD that protect the Deployment, because a parent may have been stored before a rule existed.
func validate(deploy *v1.CustomImageDeploy) error {
	spec := field.NewPath("spec")
	errs := corevalidation.ParentName(deploy)
	errs = append(errs, corevalidation.Replicas(spec.Child("size"), size(deploy))...)
	if deploy.Spec.Image == "" {
		errs = append(errs, field.Required(spec.Child("image"), "must be the image to run"))
	}
	if deploy.Spec.Port == nil {
		errs = append(errs, field.Required(spec.Child("port"), "must be the port on which the image serves HTTP"))
	}
	return corevalidation.Summary(errs)
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
	return corevalidation.Summary(errs)
}
