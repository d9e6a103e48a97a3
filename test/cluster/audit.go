package cluster

import (
	"fmt"
	"os"
	"path/filepath"

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
