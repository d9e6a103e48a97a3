package walk

import (
	"strings"
	"time"

	"github.com/example/memcached-operator/webhook/memcached/moves"
	"github.com/example/memcached-operator/webhook/memcached/proxy"
)

// jobRuns is how long the pods of a Job run. They are not part of the model, because hooks do not observe them.
const jobRuns = 5 * time.Second

// jobEnd returns when a Job is complete or fails.
func (c *cluster) jobEnd(o *object) time.Time {
	return o.GetCreationTimestamp().Add(jobRuns + c.delay("end of "+copiedFor(o), 10))
}

// runJob lets a Job do its work when it ends.
func (c *cluster) runJob(o *object) {
	status := c.jobStatus(o)
	if _, complete := status["succeeded"]; complete && o.number("status", "succeeded") == 0 {
		c.finish(o)
	}
	c.storeStatus(o, status)
}

// jobStatus returns the status of a Job. It depends on the seed and the change of size whether a Job that copies is complete, fails or has
// no pod that starts. A decrease waits for one that cleans, so that is complete.
func (c *cluster) jobStatus(o *object) map[string]any {
	status := map[string]any{"startTime": o.GetCreationTimestamp().Format(time.RFC3339), "active": int64(1)}
	outcome := c.delay("result of "+copiedFor(o), 4) / (5 * time.Second)
	if c.calm || strings.HasSuffix(copiedFor(o), string(moves.Announcing)) {
		outcome = 0
	}
	if outcome == 4 || c.now.Before(c.jobEnd(o).Add(-jobRuns)) {
		return status
	}
	status["ready"] = int64(1)
	if c.now.Before(c.jobEnd(o)) {
		return status
	}
	delete(status, "active")
	status["ready"] = int64(0)
	condition, servers := "Complete", "succeeded"
	if outcome == 3 {
		condition, servers = "Failed", "failed"
	}
	status[servers] = o.number("spec", "completions")
	status["conditions"] = []any{map[string]any{"type": condition, "status": "True"}}
	return status
}

// copiedFor returns the routes of a Job, without the rollout.
func copiedFor(o *object) string {
	routes, _, _ := strings.Cut(o.GetAnnotations()[proxy.JobForAnnotation], " ")
	return routes
}
