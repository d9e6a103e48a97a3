package corevalidation

import (
	"encoding/json"
	"fmt"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
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
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("has %d bytes as JSON, but at most %d are allowed. Metacontroller stores a copy of each child in an annotation, and Kubernetes limits all annotations of an object to %d bytes", size, maxAnnotationBytes, apivalidation.TotalAnnotationSizeLimitB)))
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
