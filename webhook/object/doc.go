// Package object holds what the rules of all parents share: lean views of the objects that they observe, labels,
// conditions, and the diagnosis of pods that do not run.
//
// A lean view holds only the fields that a rule reads. The rest of a request (most of it managedFields) is skipped
// without being built.
package object
