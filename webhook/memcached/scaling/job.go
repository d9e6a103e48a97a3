package scaling

import (
	"slices"
	"time"
)

// ObservedJob is the Job of a move. In Warming, it reads all items of the servers that items move from through the proxies, so that
// items which no client uses move too. In Announcing, it cleans the servers that stay in a decrease, or the one whose slot returns: it
// deletes their items of earlier moves.
type ObservedJob struct {
	// For is [Job.String] of the Job that was desired.
	For string
	// Created is when the Job was created. All proxies moved items then.
	Created time.Time
	// Complete reports whether the Job has ended on all servers, and Failed whether it has given up.
	Complete, Failed bool
	// Servers is the number of servers to copy or clean; Done is the number of those that are done.
	Servers, Done int32
}

// Job is a desired Job: what it does, and for which rollout of the proxies. The routes alone would be those of an earlier move, too.
type Job struct {
	Routes
	Rollout string
	// Lost reports whether the node of a server that it reads did not respond when it began: it gives the server up soon.
	Lost bool
}

// String returns a text that is different for each Job.
func (j Job) String() string {
	if j.Lost {
		return j.Routes.String() + " " + j.Rollout + " lost"
	}
	return j.Routes.String() + " " + j.Rollout
}

// desiredJob returns the Job of the rollout that is observed. One that has begun without a server goes on if the server is back.
func (c current) desiredJob() Job {
	job, lost := Job{Routes: c.routes, Rollout: c.revision.String()}, Job{c.routes, c.revision.String(), true}
	begun := c.Job != nil && c.Job.For == lost.String()
	if begun || c.routes.Phase == Warming && slices.ContainsFunc(c.routes.Sources(), c.lost) {
		return lost
	}
	return job
}

// ownJob returns the observed Job of this rollout; nil if there is none.
func (c current) ownJob() *ObservedJob {
	if c.Job == nil || !c.CanRunJob || c.Job.For != c.desiredJob().String() {
		return nil
	}
	return c.Job
}

// jobComplete and jobFailed report whether the Job of this rollout has ended.
func (c current) jobComplete() bool { return c.ownJob() != nil && c.ownJob().Complete }
func (c current) jobFailed() bool   { return c.ownJob() != nil && c.ownJob().Failed }

// keptJob returns the Job of this rollout, and gives up all others. A Job that has finished stays until the next routes are observed:
// otherwise it would begin again if the Deployment is not updated.
func (c current) keptJob(next Routes) Job {
	if job := c.ownJob(); job != nil && (next == c.routes || job.Complete || job.Failed) {
		return c.desiredJob()
	}
	return Job{}
}

// begunJob returns a Job that begins, or the one that is kept. One of another rollout has the same name, so it is removed first.
func (c current) begunJob(kept Job) Job {
	if d := c.Proxies.Deployment; c.CanRunJob && c.Job == nil && d != nil && d.CaughtUp {
		return c.desiredJob()
	}
	return kept
}
