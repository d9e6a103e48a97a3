package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// request is a kind of request to the API server, for example create deployments or update memcacheds/status.
type request struct{ verb, resource string }

// auditLog counts a user's requests in the API server's audit log.
type auditLog struct {
	path, user string
	read       int64 // bytes read so far
}

// next returns the requests since the last call.
func (a *auditLog) next() (map[request]int, error) {
	file, err := os.Open(a.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(a.read, io.SeekStart); err != nil {
		return nil, err
	}
	counts := map[request]int{}
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return counts, nil // the rest is an incomplete line
		} else if err != nil {
			return nil, err
		}
		a.read += int64(len(line))
		of, user, err := parseAudit(line)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", a.path, err)
		}
		if user == a.user && of.resource != "" { // discovery requests have no resource
			counts[of]++
		}
	}
}

func parseAudit(line []byte) (request, string, error) {
	var event struct {
		Verb      string                                 `json:"verb"`
		User      struct{ Username string }              `json:"user"`
		ObjectRef struct{ Resource, Subresource string } `json:"objectRef"`
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return request{}, "", err
	}
	resource := event.ObjectRef.Resource
	if event.ObjectRef.Subresource != "" {
		resource += "/" + event.ObjectRef.Subresource
	}
	return request{event.Verb, resource}, event.User.Username, nil
}
