package server

import (
	"cmp"
	"math"
	"time"
)

// halfLife is short, because a namespace that syncs now and then has to wait until each new one has used as much. One that needs a 20th of the hook's time
// has used 0.2 seconds.
const halfLife = 3 * time.Second

// use is the time for which requests have recently run: a second that has passed a half-life ago counts as half a second.
type use struct {
	halfLife time.Duration // that of a namespace if 0
	used     time.Duration
	at       time.Time
	running  int
}

// until returns the use at a time, including requests that still run.
func (u *use) until(now time.Time) time.Duration {
	since := now.Sub(u.at)
	before := float64(u.used) * math.Exp2(-since.Seconds()/cmp.Or(u.halfLife, halfLife).Seconds())
	return time.Duration(before) + time.Duration(u.running)*since
}

// add adds a time.
func (u *use) add(more time.Duration, now time.Time) { u.used, u.at = u.until(now)+more, now }

// run changes how many requests run.
func (u *use) run(more int, now time.Time) {
	u.add(0, now)
	u.running += more
}

// learn keeps what a byte of a request has used, if its whole body was read. A byte of a small one uses more, because a sync also has other costs.
func (r *request) learn(read int64) {
	if r.class > small && r.length > 0 && r.length == read {
		r.perByte = r.ran / time.Duration(r.length)
	}
}

// willUse returns what a request above small will use if its bytes are like those of the last one: a cache of 1,000 pods would otherwise wait for twelve
// of the same size whose pods have hundreds of labels. Refusals count useOfSize instead, see useOfByte.
func (r *request) willUse() time.Duration {
	return max(r.useOfSize(), time.Duration(r.length)*r.perByte)
}
