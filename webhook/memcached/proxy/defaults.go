package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"github.com/example/memcached-operator/webhook/memcached/children"
	"github.com/example/memcached-operator/webhook/memcached/v1alpha1"
	"github.com/example/memcached-operator/webhook/observed"
	"github.com/example/memcached-operator/webhook/resources"
)

// ReleaseDefaults are what proxies run, except what spec sets. They differ between releases of the operator.
type ReleaseDefaults struct {
	Image string
	// ExporterImage is the image of this program; "" for proxies without an exporter.
	ExporterImage string
	// ReachImage is the image of this program; "" for proxies that are available before they have reached a server, and do not reload
	// certificates.
	ReachImage string
	// Library is the Lua code of the proxies.
	Library string
	// Domain is the DNS domain of the cluster.
	Domain string
	// TolerationSeconds is how long proxies remain on a lost node; 0 for the default of Kubernetes.
	TolerationSeconds int64
	HelperCPU         children.HelperCPU
}

// libraryHashAnnotation on the Deployment has the hash of the library. If that of the pod template differs from it, somebody has
// edited the Deployment.
const libraryHashAnnotation = "memcached-operator.example.com/proxy-library-hash"

// annotations returns the annotations of the Deployment, which have the defaults of its pods. Later syncs read them.
func annotations(memcached *v1alpha1.Memcached, defaults ReleaseDefaults) map[string]string {
	annotations := map[string]string{
		libraryHashAnnotation:               hash(defaults.Library),
		children.ImageAnnotation(ReachName): defaults.ReachImage, // also "": see children.ImageAnnotation
	}
	if memcached.Spec.Image == "" {
		annotations[children.ImageAnnotation(ContainerName)] = defaults.Image
	}
	if memcached.Spec.HasExporter() {
		annotations[children.ImageAnnotation(children.ExporterName)] = defaults.ExporterImage
	}
	children.RecordTolerationSeconds(annotations, &memcached.Spec, defaults.TolerationSeconds)
	children.RecordHelperCPU(annotations, defaults.HelperCPU)
	maps.Copy(annotations, resources.ParentGeneration(memcached))
	return annotations
}

// maxLibrary is the length of a library of any release in bytes. The response has what somebody has written instead.
const maxLibrary = 100_000

// LibraryOf returns the library that was applied to a Deployment; the configured one if there is no Deployment, or if somebody has edited it.
func LibraryOf(applied *observed.Workload, configured string) string {
	if applied == nil {
		return configured
	}
	recorded := applied.Annotations[libraryHashAnnotation]
	if recorded == hash(configured) {
		return configured // the pod template is not decoded
	}
	if library := applied.TemplateAnnotation(libraryAnnotation); len(library) <= maxLibrary && hash(library) == recorded {
		return library
	}
	return configured
}

func hash(library string) string {
	sum := sha256.Sum256([]byte(library))
	return hex.EncodeToString(sum[:8])
}
