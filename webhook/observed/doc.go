// Package observed has lean structs for the objects that hooks observe, with only the fields that rules read. The
// decoder skips all other fields, most of which are managedFields.
package observed
