package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

// inCluster runs the checks of the module test/cluster, which has the dependencies of a control plane.
func inCluster(request check.ClusterRequest, progress io.Writer) (*check.ClusterReport, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/example/memcached-operator").Output()
	if err != nil {
		return nil, fmt.Errorf("--cluster needs a checkout of memcached-operator as the current directory: %w", err)
	}
	for _, file := range []*string{&request.Endpoint.TokenFile, &request.Endpoint.CA, &request.Endpoint.Cert, &request.Endpoint.Key} {
		if *file == "" {
			continue
		}
		if *file, err = filepath.Abs(*file); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "run", "./hookcheck")
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "test", "cluster")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(body), progress
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run the checks in a cluster: %w", err)
	}
	var report check.ClusterReport
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, fmt.Errorf("read the findings in the cluster: %w", err)
	}
	return &report, nil
}
