// Package requests builds sync requests of any size for benchmarks, as Metacontroller sends them, and children as it writes them.
package requests

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/example/memcached-operator/webhook/observed"
)

// template is a recorded request of a settled Memcached with one pod. The pod has the fields of a usual cluster with three
// field managers: 7.6 kB, mostly managedFields.
//
//go:embed request.json
var template []byte

// Name and Namespace are those of the parent.
const (
	Name      = "cache"
	Namespace = "web"
)

// MaxSize is the largest spec.size. A request with more pods has a Memcached that still has pods of an earlier workload.
const MaxSize = 1000

// Sync returns the body of a sync request for a Memcached with the given number of pods. It is settled up to MaxSize pods.
func Sync(pods int) []byte {
	request := map[string]any{}
	must(json.Unmarshal(template, &request))
	related := member(request, "related", "Pod.v1")
	recorded, err := json.Marshal(first(related))
	must(err)

	clear(related)
	nodes, servers := []any{}, []any{}
	for i := range pods {
		name := podName(i)
		related[Namespace+"/"+name] = pod(recorded, name, i)
		nodes, servers = append(nodes, name), append(servers, podIP(i)+":11211")
	}
	member(request, "parent")["spec"] = map[string]any{"size": min(pods, MaxSize)}
	deployment := first(member(request, "children", "Deployment.apps/v1")).(map[string]any)
	member(deployment, "spec")["replicas"] = min(pods, MaxSize)
	annotations := member(deployment, "metadata", "annotations")
	annotations[observed.LastAppliedAnnotation] = strings.Replace(annotations[observed.LastAppliedAnnotation].(string), `"replicas":2`, fmt.Sprintf(`"replicas":%d`, min(pods, MaxSize)), 1)
	for _, count := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
		member(deployment, "status")[count] = pods
	}
	member(request, "parent")["status"] = settled(nodes, servers)
	body, err := json.Marshal(request)
	must(err)
	return body
}

// PodNames returns the sorted names of the pods of a request, as status.nodes must have them.
func PodNames(pods int) []string {
	names := make([]string, 0, pods)
	for i := range pods {
		names = append(names, podName(i))
	}
	return names
}

func podName(i int) string { return fmt.Sprintf("cache-6d5f8b48bb-%05d", i) }

func podIP(i int) string { return fmt.Sprintf("10.244.%d.%d", i>>8, i&0xff) }

// pod returns the recorded pod with its own name, uid, resourceVersion, IP address and node.
func pod(recorded []byte, name string, i int) map[string]any {
	pod := map[string]any{}
	must(json.Unmarshal(recorded, &pod))
	metadata := member(pod, "metadata")
	metadata["name"] = name
	metadata["uid"] = fmt.Sprintf("ef7b0529-c0a2-4bc7-9a09-%012x", i)
	metadata["resourceVersion"] = strconv.Itoa(33129 + i)
	status := member(pod, "status")
	status["podIP"] = podIP(i)
	status["podIPs"] = []any{map[string]any{"ip": podIP(i)}}
	member(pod, "spec")["nodeName"] = fmt.Sprintf("node-%03d", i%100)
	return pod
}

// settled returns the last status of the hook, which is part of the next request.
func settled(nodes, servers []any) map[string]any {
	condition := func(kind, status, reason, message string) map[string]any {
		return map[string]any{
			"type": kind, "status": status, "reason": reason, "message": message,
			"lastTransitionTime": "2026-11-21T06:58:41Z", "observedGeneration": 1,
		}
	}
	return map[string]any{
		"nodes": nodes, "replicas": len(nodes), "readyReplicas": len(nodes), "updatedReplicas": len(nodes), "observedGeneration": 1,
		"servers": servers, "image": "memcached:1.6.45-alpine", "memory": map[string]any{"items": "64Mi", "limit": "123Mi"},
		"selector": "app=memcached,memcached_cr=" + Name,
		"conditions": []any{
			condition("Available", "True", "ReplicaReady", "At least one replica is ready."),
			condition("Ready", "True", "AllReplicasReady", fmt.Sprintf("%d of %d pods are updated and available.", len(nodes), len(nodes))),
			condition("Progressing", "False", "Settled", "The observed state matches the desired state."),
			condition("Degraded", "False", "AsExpected", "No problem has been found."),
		},
	}
}

// member returns the object at a path of the template.
func member(object map[string]any, path ...string) map[string]any {
	for _, name := range path {
		object = object[name].(map[string]any)
	}
	return object
}

func first(objects map[string]any) any {
	for _, object := range objects {
		return object
	}
	panic("the template has no object here")
}

// must panics on errors that only a wrong template can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
