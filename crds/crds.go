// Package crds holds the CustomResourceDefinitions of every parent, as controller-gen writes them from the types of
// each (make generate).
package crds

import "embed"

// Files are the definitions, each in a folder named after its controller.
//
//go:embed */*_*.yaml
var Files embed.FS
