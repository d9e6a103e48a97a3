package paired

import (
	"fmt"
	"strings"
)

// outcome is what a cache did with a write.
type outcome int

const (
	failed outcome = iota
	done
	absent  // the condition of the command is not met: the item does not exist, or exists for add
	changed // the CAS unique is another one
)

// outcomeOf returns what a response of the text or the meta protocol means.
func outcomeOf(r response) outcome {
	word, _, _ := strings.Cut(r.line, " ")
	switch word {
	case "STORED", "HD", "DELETED", "TOUCHED", "VA":
		return done
	case "NOT_STORED", "NOT_FOUND", "NS", "NF":
		return absent
	case "EXISTS", "EX":
		return changed
	}
	if word != "" && strings.Trim(word, "0123456789") == "" { // incr
		return done
	}
	return failed
}

// modes are the modes of the meta command ms by the commands of the text protocol.
var modes = map[string]string{"set": "", "add": " ME", "replace": " MR", "append": " MA"}

// command returns the name and the text of a command that writes a version of an item. The unique is that of cas.
func (s Sizes) command(verb string, meta bool, item int, version uint64, unique string) (name, text string) {
	key, data := KeyOf(item), s.value(item, version)
	if verb == "append" {
		data = suffix(version)
	}
	switch {
	case verb == "delete" && meta:
		return "md", "md " + key + "\r\n"
	case verb == "delete":
		return verb, "delete " + key + "\r\n"
	case verb == "incr" && meta:
		return "ma", "ma " + key + " v\r\n"
	case verb == "incr":
		return verb, "incr " + key + " 1\r\n"
	case verb == "cas" && meta:
		return "ms C", fmt.Sprintf("ms %s %d C%s\r\n%s\r\n", key, len(data), unique, data)
	case verb == "cas":
		return verb, fmt.Sprintf("cas %s 0 0 %d %s\r\n%s\r\n", key, len(data), unique, data)
	case meta:
		return "ms" + modes[verb], fmt.Sprintf("ms %s %d%s\r\n%s\r\n", key, len(data), modes[verb], data)
	}
	return verb, fmt.Sprintf("%s %s 0 0 %d\r\n%s\r\n", verb, key, len(data), data)
}

// write changes or deletes an item in both caches. A client that cannot know whether a cache has changed the item sets the item.
func (w *worker) write(item int, verb string) {
	if verb == "touch" {
		for cache := range Caches {
			w.send(cache, verb, "touch "+KeyOf(item)+" 0\r\n")
		}
		return
	}
	before, meta := w.state(item), w.random.IntN(2) == 0
	w.set(item, before|isWritten)
	after := before.next()
	verb = before.verbFor(w.sizes.isCounter(item), verb)
	if verb == "delete" {
		after |= isDeleted
	}
	for cache := range Caches {
		certain, again := w.writeTo(cache, verb, meta, item, before)
		if again {
			name, text := w.sizes.command("set", meta, item, after.version(), "")
			_, result, repeated := w.send(cache, name, text)
			w.record(cache, item, result)
			certain = certain && result == done && !repeated
		}
		if !certain {
			after |= isUncertain
		}
	}
	w.set(item, after)
}

// writeTo writes the next version to a cache. It returns whether no write can follow later, and whether the item must be set.
func (w *worker) writeTo(cache int, verb string, meta bool, item int, before state) (certain, again bool) {
	version, unique := before.next().version(), ""
	if verb == "cas" {
		name, text := "gets", "gets "+KeyOf(item)+"\r\n"
		if meta {
			name, text = "mg c", "mg "+KeyOf(item)+" k v c\r\n"
		}
		r, _, _ := w.send(cache, name, text)
		if r.key == "" { // a proxy also returns a miss for a server that it does not reach, whose item can be back later
			return true, true
		}
		unique = r.unique()
	}
	name, text := w.sizes.command(verb, meta, item, version, unique)
	r, result, repeated := w.send(cache, name, text)
	w.record(cache, item, result)
	switch {
	case result == failed || repeated:
		return false, verb != "delete"
	case result == changed:
		w.count("EXISTS for "+name, cache, 1, false, nil)
		return true, true
	case result == absent && verb == "add":
		w.reportOld(name, cache, item, 0, before)
		return true, true
	case result == done && verb == "incr":
		number := r.value
		if !meta {
			number = r.line
		}
		if got, ok := w.sizes.versionOf(item, number); !ok || got != version {
			w.report(OldValue, "%s of %s returned %q, want version %d", name, KeyOf(item), number, version)
			return true, true
		}
	}
	return true, false
}

// send sends one command.
func (w *worker) send(cache int, name, text string) (r response, result outcome, repeated bool) {
	responses, repeated, err := w.conns[cache].do(w.ctx, text)
	if err != nil { // the load ends
		return r, failed, repeated
	}
	if len(responses) > 0 {
		r = responses[0]
	}
	result = outcomeOf(r)
	var errors []response
	if result == failed && r.key == "" && !isMiss(r) {
		errors = append(errors, r)
	}
	w.count(name, cache, 1, repeated, errors)
	return r, result, repeated
}

// storeAgain stores the items that a cache misses, with their last versions.
func (w *worker) storeAgain(cache int, missed []int) {
	seen := map[int]bool{}
	for _, item := range missed {
		s := w.state(item)
		if s&isDeleted != 0 || seen[item] {
			continue
		}
		seen[item] = true
		verb := "set"
		if s&isUncertain == 0 && w.random.IntN(2) == 0 {
			verb = "add" // the item can exist meanwhile
		}
		name, text := w.sizes.command(verb, w.random.IntN(2) == 0, item, s.version(), "")
		if _, result, repeated := w.send(cache, name, text); result == failed || repeated {
			w.set(item, s|isUncertain)
		}
	}
}
