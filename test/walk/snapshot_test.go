package walk

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/example/memcached-operator/webhook/observed"
)

// times matches times, also those in messages.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// masked are fields that differ between two clusters with the same desired state.
var masked = map[string]bool{
	"uid": true, "resourceVersion": true, "generation": true, "number": true, "creationTimestamp": true, "ownerReferences": true,
	"lastStepTime": true, "lastChangeTime": true, "secondsPerServer": true, "observedGeneration": true, uidLabel: true, observed.LastAppliedAnnotation: true,
	"memcached-operator.example.com/parent-generation": true,
	foreignAnnotation: true, "updateRevision": true,
}

// foreignAnnotation is one that other clients set.
const foreignAnnotation = "kubectl.kubernetes.io/restartedAt"

// snapshot returns the state of a quiet cluster, by the keys of its children: without UIDs, versions, generations and times, and
// without random names of pods. Lists of objects are sorted, because the order of what Metacontroller merges by key depends on the history.
func (m *metacontroller) snapshot() map[string]string {
	state := map[string]string{}
	for _, key := range m.keys() {
		o := m.children[key]
		if o.owner() != m.parent.uid {
			continue
		}
		state[key] = text(o.Object)
		if owned := m.live(o.GetUID()); o.GetKind() == "Deployment" || o.GetKind() == "StatefulSet" {
			current := m.workloadOf(o).current
			must(len(current) == len(owned), "all pods of %s have its current template in a quiet cluster", key)
			state["pods of "+key] = strconv.Itoa(len(owned))
		}
	}
	var status map[string]any
	if err := json.Unmarshal(m.parent.status, &status); err != nil {
		panic(err)
	}
	lists := []string{"nodes"} // sorted as text, so cache-10 is before cache-9
	if m.children["Deployment/"+name] != nil {
		lists = append(lists, "servers") // addresses
	}
	for _, list := range lists {
		entries, _ := status[list].([]any)
		status[list] = len(entries)
	}
	conditions, _ := status["conditions"].([]any)
	status["conditions"] = slices.DeleteFunc(conditions, func(condition any) bool { // it follows from the time of the last move
		reason, _ := condition.(map[string]any)["reason"].(string)
		return reason == "GraceTooShort"
	})
	state["status"] = text(status)
	return fromZero(state)
}

// fromZero returns the same state with servers from ordinal 0 on. Where they begin follows from the history of the pod template.
func fromZero(state map[string]string) map[string]string {
	var set struct {
		Spec struct{ Ordinals struct{ Start int } }
	}
	if found := state["StatefulSet/"+name]; found == "" || json.Unmarshal([]byte(found), &set) != nil || set.Spec.Ordinals.Start == 0 {
		return state
	}
	earlier := func(number string) string {
		ordinal, _ := strconv.Atoi(number)
		return strconv.Itoa(ordinal - set.Spec.Ordinals.Start)
	}
	moved := map[string]string{}
	for key, text := range state {
		text = starts.ReplaceAllString(text, `"start": 0`)
		text = names.ReplaceAllStringFunc(text, func(found string) string { return name + "-" + earlier(found[len(name)+1:]) })
		moved[key] = ranges.ReplaceAllStringFunc(text, func(found string) string {
			first, last, _ := strings.Cut(strings.Trim(found, `"`), "-")
			return `"` + earlier(first) + "-" + earlier(last) + `"`
		})
	}
	return moved
}

// Servers stand in a snapshot as the start of the StatefulSet, as names, and as ranges of ordinals.
var (
	starts = regexp.MustCompile(`"start": \d+`)
	names  = regexp.MustCompile(`\b` + name + `-\d+`)
	ranges = regexp.MustCompile(`"\d+-\d+"`)
)

func text(value any) string {
	encoded, err := json.MarshalIndent(normal(value), "", " ")
	if err != nil {
		panic(err)
	}
	return times.ReplaceAllString(string(encoded), "")
}

func normal(value any) any {
	switch value := value.(type) {
	case map[string]any:
		fields := map[string]any{}
		for key, field := range value {
			if below := normal(field); !masked[key] && !empty(below) {
				fields[key] = below
			}
		}
		return fields
	case []any:
		items := slices.Clone(value)
		for i := range items {
			items[i] = normal(items[i])
		}
		if len(items) > 0 && isObject(items[0]) {
			slices.SortFunc(items, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		}
		return items
	}
	return value
}

// empty reports whether only masked fields were in a map.
func empty(value any) bool {
	fields, isMap := value.(map[string]any)
	return isMap && len(fields) == 0
}

func isObject(value any) bool {
	_, isMap := value.(map[string]any)
	return isMap
}

// mustEqual compares two snapshots.
func mustEqual(want, got map[string]string, what string) {
	if diff := cmp.Diff(want, got); diff != "" {
		fail("%s (-want +got):\n%s", what, diff)
	}
}
