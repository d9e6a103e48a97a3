package server

import (
	"math"
	"time"
)

// halfLife is short, because a namespace that syncs now and then has to wait until each new one has used as much. One that needs a 20th of the hook's time
// has used 0.2 seconds.
const halfLife = 3 * time.Second

// use is the time for which requests have recently run: a second that has passed halfLife ago counts as half a second.
type use struct {
	used    time.Duration
	at      time.Time
	running int
}

// until returns the use at a time, including requests that still run.
func (u *use) until(now time.Time) time.Duration {
	since := now.Sub(u.at)
	before := float64(u.used) * math.Exp2(-since.Seconds()/halfLife.Seconds())
	return time.Duration(before) + time.Duration(u.running)*since
}

// run changes how many requests run.
func (u *use) run(more int, now time.Time) {
	u.used, u.at = u.until(now), now
	u.running += more
}
