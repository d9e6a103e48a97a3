package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recorded is a request of the fixtures, without white space, and the path of its hook.
type recorded struct {
	path string
	body []byte
}

// fixtures reads the recorded requests from the folder of the tests beside this one.
func fixtures() ([]recorded, error) {
	files, err := filepath.Glob("test/testdata/*/*/*/request.json")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no request in test/testdata: run it from the root of the repository")
	}
	var found []recorded
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		parts := strings.Split(filepath.ToSlash(file), "/")
		found = append(found, recorded{path: "/" + parts[2] + "/" + parts[3], body: compact.Bytes()})
	}
	return found, nil
}

const syncPath = "/memcached/sync"

// syncOf returns a sync of a Memcached with so many pods: those of a recorded request, again under other names.
func syncOf(pods int) ([]byte, error) {
	content, err := os.ReadFile("test/testdata/memcached/sync/ready/request.json")
	if err != nil {
		return nil, err
	}
	var request map[string]any
	if err := json.Unmarshal(content, &request); err != nil {
		return nil, err
	}
	group := request["related"].(map[string]any)["Pod.v1"].(map[string]any)
	var name string
	var pod []byte
	for key, value := range group {
		name = key[strings.LastIndex(key, "/")+1:]
		if pod, err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	many := map[string]json.RawMessage{}
	for i := range pods {
		other := fmt.Sprintf("%s-%05d", name[:len(name)-6], i)
		many[other] = json.RawMessage(strings.ReplaceAll(string(pod), name, other))
	}
	request["related"] = map[string]any{"Pod.v1": many}
	request["parent"].(map[string]any)["spec"].(map[string]any)["size"] = pods
	return json.Marshal(request)
}
