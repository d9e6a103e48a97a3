// Package observed has lean views of the objects that hooks observe: structs with only the fields that rules read. The
// decoder skips all other fields, most of which are managedFields.
package observed
