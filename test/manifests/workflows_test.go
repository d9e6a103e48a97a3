package manifests

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// workflow has the fields of a GitHub workflow that matter for what a job may write.
type workflow struct {
	Permissions map[string]string      `json:"permissions"`
	Jobs        map[string]workflowJob `json:"jobs"`
}

type workflowJob struct {
	Environment string            `json:"environment"`
	Permissions map[string]string `json:"permissions"`
	Steps       []struct {
		Uses string         `json:"uses"`
		Run  string         `json:"run"`
		With map[string]any `json:"with"`
	} `json:"steps"`
}

var (
	pinnedAction = regexp.MustCompile(`^[a-z-]+/[a-z-]+(/[a-z-]+)?@[0-9a-f]{40}$`)
	// builds matches the steps that run code of the repository or of its dependencies, or restore a cache.
	builds = regexp.MustCompile(`actions/(checkout|cache|setup-go)@|docker/build-push-action@|anchore/|\b(make|go (build|run|test)|docker build)\b`)
)

// TestWorkflows checks that actions are pinned, that no job may write by default, and that a job that can publish builds nothing,
// restores no cache, and waits for an approval.
func TestWorkflows(t *testing.T) {
	publishing := 0
	for _, file := range glob(t, ".github/workflows/*.yaml") {
		var w workflow
		convert(t, readObject(t, file), &w)
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: the default permissions are %v, want contents: read", filepath.Base(file), w.Permissions)
		}
		for name, job := range w.Jobs {
			publishes := slices.ContainsFunc([]string{"contents", "packages", "attestations"}, func(scope string) bool { return job.Permissions[scope] == "write" })
			if publishes {
				publishing++
				checkPublishing(t, filepath.Base(file)+": the job "+name, job)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !pinnedAction.MatchString(step.Uses) {
					t.Errorf("%s: %s is not pinned by its commit", filepath.Base(file), step.Uses)
				}
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
					t.Errorf("%s: a step of the job %s leaves credentials in the clone", filepath.Base(file), name)
				}
			}
		}
	}
	if publishing != 1 {
		t.Errorf("%d jobs can publish, want one", publishing)
	}
}

// checkPublishing checks a job that can publish.
func checkPublishing(t *testing.T, name string, job workflowJob) {
	t.Helper()
	if job.Environment == "" {
		t.Errorf("%s can publish without an environment", name)
	}
	for _, step := range job.Steps {
		if text := step.Uses + step.Run; builds.MatchString(text) {
			t.Errorf("%s can publish, and runs other code: %s", name, text)
		}
	}
}
