package check

import "github.com/example/memcached-operator/webhook/merge"

var statusSettles = Check{
	ID:    "status-settles",
	Looks: "the settled parent, asked again more than a second later: the status is the same",
	Why:   "A status with the time of the sync differs at each sync, and writing it causes the next one (GoogleCloudPlatform/metacontroller#171).",
	run: func(s *Subject, e *exchange) []string {
		for _, w := range e.writes {
			if w.Child == "" {
				return []string{"status." + w.What + " changes at every sync"}
			}
		}
		if e.settled.Request == nil {
			return nil
		}
		before, asked := e.last["status"], false
		for {
			again := s.send(e.settled)
			path, differs := merge.Changed(before, again.answer["status"])
			switch {
			case !differs || again.answer == nil:
				return nil
			case s.Wait == nil || asked:
				return []string{"status." + path + " changes although nothing else does"}
			}
			// A time limit of the hook may have ended since the first response, which was minutes ago. It does not end twice.
			before, asked = again.answer["status"], true
			s.Wait()
		}
	},
}
