package corevalidation

import (
	"encoding/json"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxAnnotationBytes is the maximum size of a child's annotations as JSON. The API server limits all annotations of an
// object to 256 KiB, and Metacontroller adds an annotation with the whole child as JSON. So less than half of the limit is
// left.
const maxAnnotationBytes = 120 << 10

// Annotations validates the annotations of a child.
func Annotations(path *field.Path, annotations map[string]string) field.ErrorList {
	if len(annotations) == 0 {
		return nil
	}
	errs := Sorted(apivalidation.ValidateAnnotations(annotations, path))
	if size := jsonSize(annotations); len(errs) == 0 && size > maxAnnotationBytes {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("must have at most %d bytes as JSON and has %d: Metacontroller keeps a copy of each child in an annotation, and Kubernetes limits all annotations of an object to %d bytes", maxAnnotationBytes, size, apivalidation.TotalAnnotationSizeLimitB)))
	}
	return errs
}

// jsonSize returns the size of the annotations as JSON, in bytes. The size may be too low when the real size cannot exceed
// the maximum: JSON encodes a byte as at most six, for example \u003c.
func jsonSize(annotations map[string]string) int {
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value) + len(`"":"",`)
	}
	if 6*size <= maxAnnotationBytes {
		return size
	}
	document, err := json.Marshal(annotations)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return len(document)
}

const maxImageLength = 1024

// imagePattern matches the ASCII characters without blanks. A name with others would fail only when the pods start.
var imagePattern = regexp.MustCompile(`^[!-~]+$`)

// Image validates the name of an image; "" is valid.
func Image(path *field.Path, name string) field.ErrorList {
	switch {
	case name == "":
		return nil
	case len(name) > maxImageLength:
		return field.ErrorList{field.TooLong(path, name, maxImageLength)}
	case !imagePattern.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, "must be the name of one image: ASCII characters without blanks")}
	}
	return nil
}

// ImagePullSecrets validates the names of Secrets, which must be unique: the list is a map by name, and which of two entries
// Metacontroller keeps is undefined.
func ImagePullSecrets(path *field.Path, secrets []corev1.LocalObjectReference) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, secret := range secrets {
		at := path.Index(i).Child("name")
		if secret.Name == "" {
			errs = append(errs, field.Required(at, "name the Secret"))
			continue
		}
		if seen[secret.Name] {
			errs = append(errs, field.Duplicate(at, secret.Name))
		}
		seen[secret.Name] = true
		errs = append(errs, invalid(at, secret.Name, validation.IsDNS1123Subdomain(secret.Name))...)
	}
	return errs
}
