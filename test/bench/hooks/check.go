package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/example/memcached-operator/test/requests"
)

// response is the part of a response that all hooks must return: the Deployment and the pods' names.
type response struct {
	Status struct {
		Nodes []string `json:"nodes"`
	} `json:"status"`
	Children []struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Replicas *int `json:"replicas"`
		} `json:"spec"`
	} `json:"children"`
}

// check calls a hook with every size and checks its responses.
func check(ctx context.Context, peer peer) error {
	if peer.null {
		return nil
	}
	running, url, err := peer.start(ctx)
	if err != nil {
		return err
	}
	defer running.Stop()
	for _, size := range sizes {
		body, err := post(ctx, url, requests.Sync(size))
		if err != nil {
			return err
		}
		if err := checkResponse(body, size); err != nil {
			return fmt.Errorf("%d pods: %w", size, err)
		}
	}
	return nil
}

func checkResponse(body []byte, size int) error {
	var got response
	if err := json.Unmarshal(body, &got); err != nil {
		return fmt.Errorf("decoding the response: %w", err)
	}
	if !slices.Equal(got.Status.Nodes, requests.PodNames(size)) {
		return fmt.Errorf("status.nodes has %d names, want the names of the %d pods", len(got.Status.Nodes), size)
	}
	for _, child := range got.Children {
		if child.Kind == "Deployment" && child.Metadata.Name == requests.Name && child.Spec.Replicas != nil && *child.Spec.Replicas == min(size, requests.MaxSize) {
			return nil
		}
	}
	return fmt.Errorf("the response has no Deployment %s with %d replicas", requests.Name, min(size, requests.MaxSize))
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}

// post sends one request and reads the whole response, as Metacontroller does.
func post(ctx context.Context, url string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the response: %w", err)
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s: %.200s", reply.Status, content)
	}
	return content, nil
}
