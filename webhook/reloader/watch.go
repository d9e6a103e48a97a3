package reloader

import (
	"errors"
	"time"
)

// watch is the state of one run of the reloader.
type watch struct {
	Config
	marker  marker
	failure failure
	// reportedHash is the hash of the content whose failure was reported last.
	reportedHash string
	// loaded is the content that memcached has loaded, valid only while loadedKnown is true.
	loaded      string
	loadedKnown bool
	// latest is the content of the files at the last check, and latestSince the time since which it has not changed.
	latest      string
	latestSince time.Time
	// lastLogged is the last error that was logged.
	lastLogged string
}

func newWatch(c Config) *watch {
	w := &watch{Config: c, marker: marker(c.Marker)}
	var err error
	if w.failure, w.reportedHash, err = w.marker.start(); err != nil {
		w.Logger.Warn("cannot read or write the marker", "error", err.Error())
	}
	return w
}

// poll reloads the files if they have changed. It returns true or an error when the reloader has to exit.
func (w *watch) poll(now time.Time) (exit bool, err error) {
	content, err := w.content()
	if err == nil && w.loadedKnown && content == w.loaded {
		return false, nil
	}
	if content != w.latest || w.latestSince.IsZero() {
		w.latest, w.latestSince = content, now
	}
	var loaded string
	if err == nil {
		w.loadedKnown = false // memcached may accept the passwords but not the certificate
		loaded, err = w.reload()
	}
	if err != nil {
		return false, w.failed(err, now)
	}
	w.Logger.Info("memcached uses the current files", "loaded", loaded)
	w.loaded, w.loadedKnown, w.lastLogged = content, true, ""
	return w.recovered(), nil
}

// failed returns the error if it has to be reported now. Each exit makes the pod unready, so a failure that the status of
// the pod already shows is not reported again, unless the content has changed. Without a marker nothing is reported, because
// the reloader would report the same failure after each restart.
func (w *watch) failed(err error, now time.Time) error {
	hash := hashOf(w.latest)
	report := (w.failure != shown || w.reportedHash != hash) && now.Sub(w.latestSince) >= w.Patience
	if report {
		if unwritten := w.marker.write(reported, hash); unwritten != nil {
			report, err = false, errors.Join(err, unwritten)
		}
	}
	if text := err.Error(); text != w.lastLogged {
		w.Logger.Warn("memcached does not use the current files", "error", text)
		w.lastLogged = text
	}
	if !report {
		return nil
	}
	return err
}

// recovered reports whether the reloader has to exit because the status of the pod shows a failure that is over.
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
