package golden

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestForeignContainers gives each kind of pod in each request containers of all names that the operator uses, in states that a rule may look at. Anybody
// who may create pods can have such a pod, with the labels of the operator's.
func TestForeignContainers(t *testing.T) {
	t.Parallel()
	handler, recorded := newHandler(), syncFixtures(t)
	names := map[string]bool{}
	for _, f := range recorded {
		addContainers(parse(t, mustPost(t, handler, f.url(), f.request)), names)
	}
	for _, want := range []string{"memcached", "reloader", "hold", "move"} {
		if !names[want] {
			t.Fatalf("no response has a container %q; found %v", want, names)
		}
	}
	ended := map[string]any{"exitCode": 1, "reason": "Error", "message": "x", "startedAt": "2026-11-21T06:00:00Z", "finishedAt": "2026-11-21T06:59:00Z"}
	running := map[string]any{"running": map[string]any{"startedAt": "2026-11-21T06:59:00Z"}}
	states := []map[string]any{
		{"state": running},
		{"state": running, "lastState": map[string]any{"terminated": ended}},
		{"state": map[string]any{"terminated": ended}},
		{"state": map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff", "message": "x"}}, "lastState": map[string]any{"terminated": ended}},
		{"state": map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff", "message": "x"}}},
	}
	for _, f := range recorded {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			request := parse(t, f.request)
			for _, pod := range podsOfEachKind(request) {
				for i, state := range states {
					for _, member := range []string{"containerStatuses", "initContainerStatuses"} {
						before, _ := pod["status"].(map[string]any)
						status := maps.Clone(before)
						if status == nil {
							status = map[string]any{}
						}
						existing, _ := status[member].([]any)
						all := slices.Clone(existing)
						for name := range names {
							foreign := maps.Clone(state)
							foreign["name"], foreign["ready"], foreign["restartCount"] = name, false, 3
							all = append(all, foreign)
						}
						status[member] = all
						pod["status"] = status
						if recorder := post(handler, f.url(), encode(t, request)); recorder.Code != http.StatusOK && recorder.Code/100 != 4 {
							t.Errorf("%s of %v in state %d: %d %.300s", member, pod["metadata"].(map[string]any)["name"], i, recorder.Code, recorder.Body)
						}
						pod["status"] = before
					}
				}
			}
		})
	}
}

// addContainers adds the names of the containers in a value.
func addContainers(value any, names map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			containers, _ := member.([]any)
			for _, container := range containers {
				container, isObject := container.(map[string]any)
				if _, hasImage := container["image"]; isObject && hasImage && (name == "containers" || name == "initContainers") {
					names[container["name"].(string)] = true
				}
			}
			addContainers(member, names)
		}
	case []any:
		for _, item := range value {
			addContainers(item, names)
		}
	}
}

// podsOfEachKind returns the first pod of each set of names of labels.
func podsOfEachKind(request map[string]any) (pods []map[string]any) {
	seen := map[string]bool{}
	related, _ := request["related"].(map[string]any)
	all, _ := related["Pod.v1"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		pod := all[key].(map[string]any)
		labels, _ := pod["metadata"].(map[string]any)["labels"].(map[string]any)
		kind := strings.Join(slices.Sorted(maps.Keys(labels)), " ")
		if !seen[kind] {
			pods = append(pods, pod)
		}
		seen[kind] = true
	}
	return pods
}
