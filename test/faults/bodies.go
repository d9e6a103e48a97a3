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

// recorded is a recorded request without white space, and the path of its hook.
type recorded struct {
	path string
	body []byte
}

// fixtures reads the recorded requests from test/testdata.
func fixtures() ([]recorded, error) {
	files, err := filepath.Glob("test/testdata/*/*/*/request.json")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no requests in test/testdata: run the command in the root of the repository")
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
