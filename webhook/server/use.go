package server

import (
	"math"
	"time"
)

// halfLife is longer than a burst, so that one which runs all the time has used more than one that syncs its caches now and then.
const halfLife = 30 * time.Second

// use is for how long requests have run lately: what they have used before halfLife counts half.
type use struct {
	used    time.Duration
	at      time.Time
	running int
}

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
