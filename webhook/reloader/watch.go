package reloader

import (
	"errors"
	"time"
)

// watch is what one run of the program knows.
type watch struct {
	Config
	marker  marker
	failure failure
	// told is the hash of the content whose failure was reported last.
	told string
	// used is the content of the files that memcached uses; settled is false while that is not known.
	used    string
	settled bool
	// seen is the content of the files at the last look, and since the time from which on it is the same.
	seen  string
	since time.Time
	// logged is the last problem that was logged.
	logged string
}

func newWatch(c Config) *watch {
	w := &watch{Config: c, marker: marker(c.Marker)}
	var err error
	if w.failure, w.told, err = w.marker.start(); err != nil {
		w.Logger.Warn("cannot read or write the marker", "error", err.Error())
	}
	return w
}

// look applies the files if they have changed. It returns true or an error if the program has to end.
func (w *watch) look(now time.Time) (end bool, err error) {
	content, err := w.content()
	if err == nil && w.settled && content == w.used {
		return false, nil
	}
	if content != w.seen || w.since.IsZero() {
		w.seen, w.since = content, now
	}
	var report string
	if err == nil {
		w.settled = false // memcached may accept the passwords and not the certificate
		report, err = w.apply()
	}
	if err != nil {
		return false, w.failed(err, now)
	}
	w.Logger.Info("memcached uses what the files hold", "now", report)
	w.used, w.settled, w.logged = content, true, ""
	return w.recovered(), nil
}

// failed returns the error if it has to be reported now. A container that ended again for a failure that its status shows
// already would keep its pod unready, and so would one that cannot remember that it reported. Other content may fail for
// another reason.
func (w *watch) failed(err error, now time.Time) error {
	hash := hashOf(w.seen)
	report := (w.failure != shown || w.told != hash) && now.Sub(w.since) >= w.Patience
	if report {
		if unwritten := w.marker.write(reported, hash); unwritten != nil {
			report, err = false, errors.Join(err, unwritten)
		}
	}
	if why := err.Error(); why != w.logged {
		w.Logger.Warn("memcached does not use what the files hold", "error", why)
		w.logged = why
	}
	if !report {
		return nil
	}
	return err
}

// recovered reports whether the program has to end because the status of the pod shows a failure that is over.
func (w *watch) recovered() bool {
	before := w.failure
	w.failure = none
	if before == none {
		return false
	}
	if err := w.marker.remove(); err != nil {
		w.Logger.Warn("cannot remove the marker", "error", err.Error())
	}
	return before == shown
}
