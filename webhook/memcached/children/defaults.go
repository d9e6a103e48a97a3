package children

import (
	"cmp"

	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
)

const (
	// DefaultImage is the default of spec.image.
	DefaultImage = "memcached:1.6.45-alpine"
	// DefaultExporterImage is the default of spec.metrics.image.
	DefaultExporterImage = "prom/memcached-exporter:v0.16.0"
)

// ReleaseDefaults are what server pods run, except what spec sets. They differ between releases of the operator.
type ReleaseDefaults struct {
	Images
	// TolerationSeconds is how long pods remain on a lost node; 0 for the default of Kubernetes.
	TolerationSeconds int64
	HelperCPU         HelperCPU
}

// Images are the images of server pods.
type Images struct {
	Memcached, Exporter string
	// Reloader and Hold are the image of this program. They are "" for pods without the container.
	Reloader, Hold string
}

// HasReloader reports whether the pods have the reloader.
func (i Images) HasReloader() bool { return i.Reloader != "" }

// HasHold reports whether the pods have the sidecar that holds.
func (i Images) HasHold() bool { return i.Hold != "" }

// ImageAnnotation returns the annotation on a workload that has the image of a container as it was applied, if the image is a default.
func ImageAnnotation(container string) string {
	return "memcached-operator.example.com/" + container + "-image"
}

// Image returns the image of memcached in the pod template of the servers.
func Image(spec *v1alpha1.MemcachedSpec, images Images) string {
	return cmp.Or(spec.Image, images.Memcached)
}

// imageAnnotations returns the default images of the server pods. Later syncs read them.
//
// An empty value records that spec needs a container for which the operator had no image. A container that spec did not need has no
// annotation, so pods get it when spec begins to need it.
func imageAnnotations(spec *v1alpha1.MemcachedSpec, images Images) map[string]string {
	annotations := map[string]string{}
	if spec.Image == "" {
		annotations[ImageAnnotation(ContainerName)] = images.Memcached
	}
	if spec.HasExporter() && spec.Metrics.Image == "" {
		annotations[ImageAnnotation(ExporterName)] = images.Exporter
	}
	if spec.NeedsReloader() {
		annotations[ImageAnnotation(ReloaderName)] = images.Reloader
	}
	if spec.WarmsUp() {
		annotations[ImageAnnotation(HoldName)] = images.Hold
	}
	return annotations
}
