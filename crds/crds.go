// Package crds has the CustomResourceDefinitions of all parents, which controller-gen generates from their types (make generate).
package crds

import "embed"

// Files are the CRDs, each in a directory with the name of its controller.
//
//go:embed */*_*.yaml
var Files embed.FS
