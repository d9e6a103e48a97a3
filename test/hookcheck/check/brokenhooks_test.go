package check

import (
	"maps"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// child returns a child of a response; the Deployment is the first and the Service the second one.
func child(answer map[string]any, i int) map[string]any {
	if children := list(answer["children"]); len(children) > i {
		return object(children[i])
	}
	return map[string]any{}
}

func add(answer map[string]any, child any) {
	answer["children"] = append(list(answer["children"]), child)
}

// nothing changes no response: the defect is in the files.
func nothing(_, _ map[string]any) {}

// rolling sets the update method of both kinds of children, and gives the status conditions.
var rolling = []string{
	"deployments, updateStrategy: {method: InPlace}", "deployments, updateStrategy: {method: RollingInPlace}", "services, updateStrategy: {method: Recreate}", "services, updateStrategy: {method: RollingRecreate}",
	"phase: {type: string}", "phase: {type: string}\n              conditions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
}

// v2 sets the version of all hooks.
var v2 = []string{"hooks: {sync: {}, finalize: {}, customize: {}}", "hooks: {sync: {version: v2}, finalize: {version: v2}, customize: {version: v2}}"}

// withRule returns the good hook with a rule in addition.
func withRule(rule map[string]any) thing {
	whole := map[string]any{"apiVersion": "v1", "resource": "configmaps"}
	maps.Copy(whole, rule)
	return func(hook string, request map[string]any) (map[string]any, error) {
		answer, err := good(hook, request)
		if hook == "customize" && err == nil {
			answer["relatedResources"] = append(list(answer["relatedResources"]), whole)
		}
		return answer, err
	}
}

// withGroup returns the good hook with a change, for children of another kind than pods. It refuses requests without the kind.
func withGroup(group string, change func(request, answer map[string]any)) thing {
	return func(hook string, request map[string]any) (map[string]any, error) {
		if children := object(request["children"]); children != nil && hook != "customize" {
			children["Pod.v1"] = children[group]
		}
		answer, err := good(hook, request)
		if hook == "sync" && err == nil {
			change(request, answer)
		}
		return answer, err
	}
}

// clock returns the number of times that the test has waited.
var ticks atomic.Int64

func clock() string { return strconv.FormatInt(ticks.Load(), 10) }

// in returns an error with a response after some time.
func in(took time.Duration, answer map[string]any) error {
	return status{Response{Code: http.StatusOK, Body: encode(answer), Took: took}}
}

// shared returns a hook that responds differently while it handles another request.
func shared() thing {
	return counted(1, func(answer map[string]any) error {
		object(answer["status"])["phase"] = "changed"
		return nil
	})
}

// busy returns a hook that refuses requests while it handles eight others.
func busy() thing {
	return counted(8, func(map[string]any) error { return status{Response{Code: http.StatusTooManyRequests}} })
}

// counted returns the good hook with a change for requests above a number at the same time.
func counted(most int64, change func(answer map[string]any) error) thing {
	var running atomic.Int64
	return func(hook string, request map[string]any) (map[string]any, error) {
		defer running.Add(-1)
		above := running.Add(1) > most
		time.Sleep(time.Millisecond) // so that parallel requests overlap
		answer, err := good(hook, request)
		if above && err == nil && hook == "sync" {
			err = change(answer)
		}
		return answer, err
	}
}
