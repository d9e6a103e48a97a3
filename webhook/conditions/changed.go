package conditions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/example/memcached-operator/webhook/merge"
	"github.com/example/memcached-operator/webhook/text"
)

/*
Something changes a child each time that it is applied.

An admission webhook or a policy of the cluster may change each object that is written. Metacontroller then applies the child at every sync, and the
API server stores what it had before. So no object changes, no Event appears, and the difference stays until a user acts.

This check compares a child that differs with the one that was applied last. If that is the desired one, somebody else has changed the child. A
workload whose pods still run what the operator wants of them matches the desired state, and the change is a risk. Any other change remains
progress, which is a problem after a minute.
*/

// ReasonChangedByOthers is for a child with fields that somebody else has changed since it was applied.
var ReasonChangedByOthers = NewReason(SeverityRisk, Documentation{ID: "ChangedByOthers",
	Meaning: "An admission webhook or another client changes fields of a child after each apply, such as images, resources, security contexts, tolerations or labels. The pods run with the changed fields. The message lists the fields, their values, and the fields of `spec` that set them. `Ready` may be True.",
	Remedy:  "Set the fields of `spec` to these values, or exclude the child from the policy: [Policies](troubleshoot.md#policies)."})

// SpecField returns the field of spec that sets a field of a child's pod template; "" if there is none. Paths are those of [merge.Change],
// below spec.template.
type SpecField func(child, path string) string

// ImageField is the [SpecField] of a parent that sets nothing in its pod template but the image of its container.
func ImageField(_, path string) string {
	if _, field, _ := ContainerField(path); field == "image" {
		return "spec.image"
	}
	return ""
}

// runsAsDesired reports whether a workload runs what the operator wants, although others have changed the field: the pods have the same
// containers, which run the same programs with the same configuration.
func runsAsDesired(path string) bool {
	field, isTemplate := strings.CutPrefix(path, "spec.template.")
	if !isTemplate || strings.Contains(field, "memcached-operator.example.com/") {
		return strings.HasPrefix(path, "metadata.labels.")
	}
	if _, of, isContainer := ContainerField(field); isContainer {
		name, _, _ := strings.Cut(of, ".")
		return slices.Contains([]string{"image", "imagePullPolicy", "resources", "securityContext"}, name)
	}
	return !strings.HasPrefix(field, "spec.volumes.")
}

// ContainerField splits the path of a field of a container, below spec.template.
func ContainerField(path string) (container, field string, isContainer bool) {
	for _, list := range []string{"spec.containers.", "spec.initContainers."} {
		if rest, found := strings.CutPrefix(path, list); found {
			container, field, _ = strings.Cut(rest, ".")
			return container, field, true
		}
	}
	return "", "", false
}

const (
	// maxChanges is the number of changes in a message, as many as fit into it.
	maxChanges = 4
	// maxChangeBytes is the maximum length of a value in a message, which has two for each change.
	maxChangeBytes = 80
)

// changedText describes what others have changed since a child was applied.
func changedText(kind, name string, changes []merge.Change, specField SpecField) string {
	var fields []string
	hasSetting := false
	for _, change := range changes[:min(len(changes), maxChanges)] {
		path, setting := strings.TrimPrefix(change.Path, "spec.template."), ""
		if specField != nil && path != change.Path {
			setting = specField(name, path)
		}
		hasSetting = hasSetting || setting != ""
		if setting == "" {
			setting = "no field of spec sets it"
		}
		if container, field, isContainer := ContainerField(path); isContainer {
			path = field + " of container " + container
		}
		fields = append(fields, fmt.Sprintf("%s is %s instead of %s (%s)", path, valueText(change.Before), valueText(change.After), setting))
	}
	if more := len(changes) - len(fields); more > 0 {
		fields = append(fields, fmt.Sprintf("further changes: %d", more))
	}
	remedy := "Exclude the " + kind + " from the policy that changes it."
	if hasSetting {
		remedy = "Set the fields of spec to these values, or exclude the " + kind + " from the policy that changes it."
	}
	return fmt.Sprintf("An admission webhook or another client has changed %s %s since it was applied: %s. %s", kind, name, strings.Join(fields, "; "), remedy)
}

func valueText(value any) string {
	switch value := value.(type) {
	case nil:
		return "missing"
	case string:
		return text.Printable(value, maxChangeBytes)
	}
	encoded, _ := json.Marshal(value) // decoded from JSON
	return text.Printable(encoded, maxChangeBytes)
}

func changedByOthers(c checked) Finding { return Finding{Risk: c.changed} }
