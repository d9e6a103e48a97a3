package walk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxSeeds is the number of walks in which each deliberate defect must be found.
const maxSeeds = 100

// defects are deliberate defects, which change the requests or the responses of the hook. oracle is what finds a defect.
var defects = []struct {
	name   string
	seed   uint64 // one that finds it
	oracle string
	insert func(hook) hook
}{
	{"lastTransitionTime is always now", 1, "lastTransitionTime changes only with the status", responding(func(_, response message, now time.Time) {
		for _, condition := range response.list("status", "conditions") {
			condition["lastTransitionTime"] = now.Format(time.RFC3339)
		}
	})},
	{"a NetworkPolicy is desired only while the workload is observed", 2, "stale: the hook observes an earlier state of one kind: the numbers of", responding(func(request, response message, _ time.Time) {
		if len(request.group("Deployment.apps/v1"))+len(request.group("StatefulSet.apps/v1")) == 0 {
			response.drop("NetworkPolicy")
		}
	})},
	{"status has no observedGeneration", 1, "status has the generation", responding(func(_, response message, _ time.Time) {
		delete(response.object("status"), "observedGeneration")
	})},
	{"the servers are scaled in one step with maxStep", 9, "steps are within maxStep", responding(func(request, response message, _ time.Time) {
		if size := request.object("parent", "spec")["size"].(float64); size >= 0 && size <= 1000 {
			for _, child := range response.children(name) {
				if child.object("spec")["replicas"] != nil {
					child.object("spec")["replicas"] = size
				}
			}
		}
	})},
	{"at size 0 with maxStep, proxies start again while others stop", 13, "the cluster does not settle at size 0", responding(func(request, response message, _ time.Time) {
		spec := request.object("parent", "spec")
		if spec["size"] != 0.0 || message(spec).object("scaling")["maxStep"] == nil {
			return
		}
		for _, pod := range message(request.object("related")).group("Pod.v1") {
			if labels := pod.object("metadata", "labels"); labels["app"] == "memcached-proxy" && pod.object("metadata")["deletionTimestamp"] != nil {
				response.scaleProxies(message(spec).object("proxy")["replicas"])
			}
		}
	})},
	{"an invalid spec has no children", 1, "an invalid spec creates and deletes nothing", responding(func(_, response message, _ time.Time) {
		if strings.Contains(string(encoded(response["status"])), "InvalidSpec") {
			response["children"] = []any{}
		}
	})},
	{"Ready is True before the rollout ends", 1, "a Memcached is Ready only", responding(func(_, response message, now time.Time) {
		for _, condition := range response.list("status", "conditions") {
			if condition["type"] == "Ready" && condition["reason"] == "MinReadySeconds" {
				condition["status"], condition["reason"], condition["lastTransitionTime"] = "True", "AllReplicasReady", now.Format(time.RFC3339)
			}
		}
	})},
	{"a healthy condition has the reason of a problem", 1, "reasons are documented", responding(func(_, response message, _ time.Time) {
		for _, condition := range response.list("status", "conditions") {
			if condition["reason"] == "AllReplicasReady" {
				condition["reason"] = "Paused"
			}
		}
	})},
	{"a quantity is not in its canonical form", 1, "a Memcached is Ready only if its children match", responding(func(_, response message, _ time.Time) {
		for _, child := range response.children(name) {
			for _, container := range child.list("spec", "template", "spec", "containers") {
				if limits := container.object("resources", "limits"); limits["memory"] != nil {
					quantity := resource.MustParse(limits["memory"].(string))
					limits["memory"] = fmt.Sprint(quantity.Value()>>10, "Ki")
				}
			}
		}
	})},
	{"the hook remembers the memory of the first spec", 2, "the state differs from that of a new Memcached", remembering("memory")},
	{"customize selects pods only if the status has some", 1, "the rules always select all pods", func(next hook) hook {
		return func(url string, request []byte, now time.Time) []byte {
			if nodes, _ := parsed(request).object("parent", "status")["nodes"].([]any); len(nodes) > 0 || !strings.HasSuffix(url, "/customize") {
				return next(url, request, now)
			}
			return []byte(`{"relatedResources":[]}`)
		}
	}},
	{"the PodDisruptionBudget is dropped if two edits are observed at once", 3, "unobserved: a change is hidden until another one cancels it: the numbers of", responding(func(request, response message, _ time.Time) {
		generation, _ := request.object("parent", "metadata")["generation"].(float64)
		if last, _ := request.object("parent", "status")["observedGeneration"].(float64); last > 0 && generation > last+1 {
			response.drop("PodDisruptionBudget")
		}
	})},
}

// TestDefects checks that walks find each defect. The walk of the seed in the table comes first, so that the others rarely run.
func TestDefects(t *testing.T) {
	t.Parallel()
	for _, defect := range defects {
		t.Run(defect.name, func(t *testing.T) {
			t.Parallel()
			for i := range uint64(maxSeeds) {
				seed := 1 + (defect.seed-1+i)%maxSeeds
				if *everything {
					seed = 1 + i
				}
				for found := range walk(seed, func() hook { return defect.insert(memcachedHook()) }) {
					if strings.Contains(found, defect.oracle) {
						t.Logf("found with seed %d", seed)
						return
					}
				}
			}
			t.Errorf("%d walks do not find the defect with the oracle %q", maxSeeds, defect.oracle)
		})
	}
}

// responding returns a defect that changes each response to a sync.
func responding(change func(request, response message, now time.Time)) func(hook) hook {
	return func(next hook) hook {
		return func(url string, request []byte, now time.Time) []byte {
			body := next(url, request, now)
			if !strings.HasSuffix(url, "/sync") {
				return body
			}
			response := parsed(body)
			change(parsed(request), response, now)
			return encoded(response)
		}
	}
}

// remembering returns a defect that returns the first value of a field of status forever.
func remembering(field string) func(hook) hook {
	return func(next hook) hook {
		var first any
		return responding(func(_, response message, _ time.Time) {
			if status := response.object("status"); first == nil {
				first = status[field]
			} else {
				status[field] = first
			}
		})(next)
	}
}

// message is a decoded request or response.
type message map[string]any

func parsed(text []byte) message {
	var value message
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return value
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// object returns the object at a path; nil if there is none.
func (m message) object(path ...string) map[string]any {
	value := map[string]any(m)
	for _, field := range path {
		value, _ = value[field].(map[string]any)
	}
	return value
}

func (m message) list(path ...string) []message {
	values, _ := m.object(path[:len(path)-1]...)[path[len(path)-1]].([]any)
	list := make([]message, 0, len(values))
	for _, value := range values {
		list = append(list, message(value.(map[string]any)))
	}
	return list
}

// group returns the observed objects of a kind.
func (m message) group(kind string) []message {
	objects := m
	if m["children"] != nil {
		objects = m.object("children")
	}
	var list []message
	for _, value := range objects.object(kind) {
		list = append(list, message(value.(map[string]any)))
	}
	return list
}

// children returns the desired children of a name.
func (m message) children(name string) []message {
	var list []message
	for _, child := range m.list("children") {
		if child.object("metadata")["name"] == name {
			list = append(list, child)
		}
	}
	return list
}

// drop removes the desired children of a kind.
func (m message) drop(kind string) {
	kept := []any{}
	for _, child := range m.list("children") {
		if child["kind"] != kind {
			kept = append(kept, map[string]any(child))
		}
	}
	m["children"] = kept
}

func (m message) scaleProxies(replicas any) {
	for _, child := range m.children(name + "-proxy") {
		if child["kind"] == "Deployment" {
			child.object("spec")["replicas"] = replicas
		}
	}
}
