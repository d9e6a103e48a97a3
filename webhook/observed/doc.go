// Package observed holds lean views of the objects that hooks observe: structs with only the fields that a rule reads. The rest
// of an object, most of it managedFields, is skipped without being built.
package observed
