package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/example/memcached-operator/test/internal/process"
	"github.com/example/memcached-operator/test/requests"
)

// null is the name of the handler with a constant response, which is not checked.
const null = "null handler"

// hook is a program with its measurements.
type hook struct {
	name    string
	command []string // without the last argument, the address

	process *process.Process
	address string
	cpu     []float64 // milliseconds per sync by number of pods
	memory  []float64 // MiB, idle and with concurrent syncs
}

func (h *hook) start() (err error) {
	if h.address, err = process.FreeAddress(); err != nil {
		return err
	}
	h.process = &process.Process{Path: h.command[0], Args: append(h.command[1:], h.address)}
	return h.process.Start()
}

// post sends one request and reads the whole response, as Metacontroller does.
func (h *hook) post(body []byte) ([]byte, error) {
	response, err := http.Post("http://"+h.address+"/memcached/sync", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s: %.200s", response.Status, content)
	}
	return content, err
}

// child is the part of a child that all hooks must return.
type child struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct{ Replicas int }
}

// check checks the part of a response that all hooks must return: the Deployment and the names of the pods.
func check(response []byte, pods int) error {
	var got struct {
		Status   struct{ Nodes []string }
		Children []child
	}
	if err := json.Unmarshal(response, &got); err != nil {
		return fmt.Errorf("decoding the response: %w", err)
	}
	want := child{Kind: "Deployment"}
	want.Metadata.Name, want.Spec.Replicas = requests.Name, min(pods, requests.MaxSize)
	if !slices.Equal(got.Status.Nodes, requests.PodNames(pods)) || !slices.Contains(got.Children, want) {
		return fmt.Errorf("got %d nodes and %v, want the names of %d pods and %v", len(got.Status.Nodes), got.Children, pods, want)
	}
	return nil
}
