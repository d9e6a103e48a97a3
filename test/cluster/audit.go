package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"
)

// writeAuditPolicy writes a policy that logs each request of the users once, when the response is complete, without bodies.
func (c *Cluster) writeAuditPolicy(users []string) (string, error) {
	type rule struct {
		Level string   `json:"level"`
		Users []string `json:"users,omitempty"`
	}
	policy, err := yaml.Marshal(map[string]any{
		"apiVersion": "audit.k8s.io/v1",
		"kind":       "Policy",
		"omitStages": []string{"RequestReceived", "ResponseStarted"},
		"rules":      []rule{{Level: "Metadata", Users: users}, {Level: "None"}},
	})
	if err != nil {
		return "", err
	}
	c.AuditLog = filepath.Join(c.dir, "audit.log")
	path := filepath.Join(c.dir, "audit-policy.yaml")
	if err := os.WriteFile(path, policy, 0o600); err != nil {
		return "", fmt.Errorf("write the audit policy: %w", err)
	}
	return path, nil
}

// Request is a request in the audit log.
type Request struct {
	Verb                     string
	User                     struct{ Username string }
	ObjectRef                struct{ Resource, Subresource, Namespace, Name string }
	RequestReceivedTimestamp time.Time
	// ResponseStatus has a message after an error.
	ResponseStatus struct {
		Code    int
		Message string
	}
}

// Requests returns the requests that the audit log has from an offset, and the offset of its end.
func (c *Cluster) Requests(offset int64) (requests []Request, end int64, err error) {
	file, err := os.Open(c.AuditLog)
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	end = offset
	for events := json.NewDecoder(file); ; {
		var r Request
		if err := events.Decode(&r); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return requests, end, nil // the last line may not be complete yet
		} else if err != nil {
			return nil, offset, fmt.Errorf("read the audit log: %w", err)
		}
		requests, end = append(requests, r), offset+events.InputOffset()
	}
}
