package moves

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Task is what the Job of a phase does.
type Task int

const (
	// NoTask is for a phase without a Job.
	NoTask Task = iota
	// CleanStaying deletes the items of earlier moves from the servers that stay in a decrease.
	CleanStaying
	// CleanAdded deletes all items from added servers that are not new: those whose slots return, and former spares.
	CleanAdded
	// Copy reads all items of the servers that items move from through the proxies, so that items which no client uses move too.
	Copy
)

// Task returns what the Job of the phase does.
func (r Routes) Task() Task {
	switch {
	case r.Phase == Warming:
		return Copy
	case r.Phase == Announcing && !r.adds():
		return CleanStaying
	case r.Phase == Announcing && len(r.addedAgain()) > 0:
		return CleanAdded
	}
	return NoTask
}

// JobServers returns the ordinals of the servers that the Job cleans, or whose items it reads.
func (r Routes) JobServers() []int32 {
	switch {
	case r.Task() == CleanStaying:
		return r.To.BySlot()
	case r.Task() == CleanAdded:
		return r.addedAgain()
	case r.adds() && !r.sameSlots():
		return r.From.BySlot()
	}
	return r.Removed()
}

// ObservedJob is the Job of a move.
type ObservedJob struct {
	// For is the Job that was desired.
	For DesiredJob
	// Created is when the Job was created. All proxies moved items then.
	Created time.Time
	// Warmup is the longest time for items to move that spec had then; 0 for a Job that cleans.
	Warmup time.Duration
	// Complete reports whether the Job has ended on all servers, and Failed whether it has given up.
	Complete, Failed bool
	// Servers is the number of servers to copy or clean; Done is the number of those that are done.
	Servers, Done int32
}

// DesiredJob is what a Job does, and for which rollout of the proxies. The routes alone would be those of an earlier move, too.
type DesiredJob struct {
	Routes
	Rollout string
	// Stuck are the ordinals, with commas between them, of servers that it gives up soon: they were stuck when it began.
	Stuck string
}

// stuckText is before the ordinals in the text of a Job.
const stuckText = " without "

// String returns the text of the Job in its annotation, which is different for each Job.
func (j DesiredJob) String() string {
	text := j.Routes.String() + " " + j.Rollout
	if j.Stuck != "" {
		text += stuckText + j.Stuck
	}
	return text
}

// maxJobText is more than the length of a text with the ordinals of 1,000 servers, of nine digits each. The response has it twice, so nobody may write a longer one.
const maxJobText = 12_000

// ParseJob returns the Job of an annotation. One that is missing or was edited is of no rollout.
func ParseJob(text string) DesiredJob {
	if len(text) > maxJobText {
		return DesiredJob{}
	}
	text, stuck, _ := strings.Cut(text, stuckText)
	routes, rollout, _ := strings.Cut(text, " ")
	return DesiredJob{ParseRoutes(routes), rollout, stuck}
}

// jobOfPhase returns the Job that begins in the phase of the rollout that is observed.
func (s situation) jobOfPhase() DesiredJob {
	var stuck []string
	if s.current.Phase == Warming {
		for _, ordinal := range slices.DeleteFunc(s.current.JobServers(), func(ordinal int32) bool { return !s.isStuck(ordinal) }) {
			stuck = append(stuck, strconv.Itoa(int(ordinal)))
		}
	}
	return DesiredJob{s.current, s.revision.String(), strings.Join(stuck, ",")}
}

// observedJobOfPhase returns the observed Job of this rollout; nil if there is none, or if it waits long for a server that is stuck since it
// began.
func (s situation) observedJobOfPhase() *ObservedJob {
	if s.Job == nil || !s.CanRunJob {
		return nil
	}
	begun, next := s.Job.For, s.jobOfPhase()
	givesUp := strings.Split(begun.Stuck, ",")
	waitsFor := func(stuck string) bool { return stuck != "" && !slices.Contains(givesUp, stuck) }
	if begun.Routes != next.Routes || begun.Rollout != next.Rollout || slices.ContainsFunc(strings.Split(next.Stuck, ","), waitsFor) {
		return nil
	}
	return s.Job
}

// jobComplete and jobFailed report whether the Job of this rollout has ended.
func (s situation) jobComplete() bool {
	return s.phaseJob != nil && s.phaseJob.Complete
}
func (s situation) jobFailed() bool {
	return s.phaseJob != nil && s.phaseJob.Failed
}

// jobUnderWay returns the Job of this rollout, and gives up all others. A Job that has finished stays until the next routes are observed:
// otherwise it would begin again if the Deployment is not updated.
func (s situation) jobUnderWay(next Routes) DesiredJob {
	if job := s.phaseJob; job != nil && (next == s.current || job.Complete || job.Failed) {
		return job.For
	}
	return DesiredJob{}
}

// startJob returns a Job that begins, or the one that is under way. One of another rollout has the same name, so it is removed first.
func (s situation) startJob(underWay DesiredJob) DesiredJob {
	if d := s.Proxies.Deployment; s.CanRunJob && s.Job == nil && d != nil && d.CaughtUp {
		return s.jobOfPhase()
	}
	return underWay
}
