//go:build servers

package servers

import (
	"fmt"
	"math/rand"
	"time"
)

// work reads many keys and writes some, a batch at a time.
func (l *pairedLoad) work(worker int) {
	random := rand.New(rand.NewSource(int64(worker)))
	zipf := rand.NewZipf(random, hotness, 1, uint64(len(l.keys)-1))
	// The most frequent keys are scattered over all keys, because the first ones are evicted while the cache is filled.
	popular := func() int { return int(zipf.Uint64() * 15_485_863 % uint64(len(l.keys))) }
	own := func(key int) int { return min(key-key%pairedWorkers+worker, len(l.keys)-pairedWorkers+worker) }
	clients := [caches]*pairedClient{{load: l, to: l.to[changed]}, {load: l, to: l.to[control]}}
	for i, key := range l.spoiled {
		if key%pairedWorkers == worker {
			l.write(clients, key, i/pairedWorkers%2 == 0)
		}
	}
	next := time.Now()
	for !l.ended.Load() {
		var reads [batchReads]int
		for i := range reads {
			reads[i] = popular()
		}
		l.read(clients, reads[:], random.Intn(2) == 0)
		for cache, missed := range l.workers[worker].take() {
			l.storeAgain(clients[cache], missed)
		}
		switch n := random.Intn(12); {
		case n < 2:
			l.write(clients, own(popular()), false)
		case n == 2:
			l.write(clients, own(random.Intn(len(l.keys))), false)
		case n == 3:
			l.write(clients, own(popular()), true)
		case n == 4:
			l.write(clients, own(random.Intn(len(l.keys))), true)
		}
		if next = next.Add(l.pace); time.Until(next) < -time.Second {
			next = time.Now() // a slow machine does not catch up
		}
		time.Sleep(time.Until(next))
	}
}

// read reads keys from both caches, and asks for those that are missing to be stored again.
func (l *pairedLoad) read(clients [caches]*pairedClient, keys []int, meta bool) {
	var before [batchReads]keyState
	for i, key := range keys {
		before[i] = l.state(key)
	}
	at := time.Now()
	var hits [batchReads][caches]int
	for cache, c := range clients {
		for i, version := range c.readAll(keys, meta) {
			switch exists := before[i]&isDeleted == 0; {
			case version > 0 && l.isOld(keys[i], version, before[i]):
			case version > 0 && exists:
				hits[i][cache]++
			case exists:
				l.workers[keys[i]%pairedWorkers].add(cache, keys[i])
			}
		}
	}
	l.count(at, l.total(keys, before, hits))
}

// isOld reports whether a version is older than what a client had written or deleted before, and counts it.
func (l *pairedLoad) isOld(key int, version uint64, before keyState) bool {
	if before&isUncertain != 0 || version >= before.version() {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if before&isDeleted != 0 {
		l.deleted++
		l.errors = append(l.errors, fmt.Sprintf("%s has version %d, but version %d deleted it", keyName(key), version, before.version()))
	} else {
		l.old++
		l.errors = append(l.errors, fmt.Sprintf("%s has version %d, older than %d", keyName(key), version, before.version()))
	}
	return true
}

// total counts the reads of keys that nobody wrote meanwhile.
func (l *pairedLoad) total(keys []int, before [batchReads]keyState, hits [batchReads][caches]int) (total second) {
	for i, key := range keys {
		if before[i]&(isDeleted|isWritten) == 0 && before[i] == l.state(key) {
			total.reads++
			for cache := range caches {
				total.hits[cache] += hits[i][cache]
			}
		}
	}
	return total
}

// count adds the reads of a time to its second.
func (l *pairedLoad) count(at time.Time, total second) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := int(max(0, at.Sub(l.start)) / time.Second)
	for len(l.seconds) <= now {
		l.seconds = append(l.seconds, second{})
	}
	l.seconds[now].add(total)
}

// storeAgain stores the items that a cache misses, with their last versions.
func (l *pairedLoad) storeAgain(c *pairedClient, missed []int) {
	var keys []int
	var commands []byte
	seen := map[int]bool{}
	for _, key := range missed {
		if state := l.state(key); state&isDeleted == 0 && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
			commands = l.appendSet(commands, key, state.version(), "")
		}
	}
	if len(keys) == 0 {
		return
	}
	responses, repeated := c.do(string(commands))
	for _, each := range responses {
		c.expect("set", each.line, "STORED HD")
	}
	if repeated && c.to == l.to[changed] {
		for _, key := range keys {
			l.keys[key].Store(uint64(l.state(key) | isUncertain))
		}
	}
}

// write stores or deletes an item in both caches.
func (l *pairedLoad) write(clients [caches]*pairedClient, key int, remove bool) {
	before := l.state(key)
	l.keys[key].Store(uint64(before | isWritten))
	state := keyState(before.version()+1) * oneVersion
	command, want := string(l.appendSet(nil, key, state.version(), "")), "STORED HD"
	if remove {
		l.deletions.Add(1)
		state |= isDeleted
		command, want = "delete "+keyName(key)+"\r\n", "DELETED NOT_FOUND"
		if state.version()%2 == 0 {
			command, want = "md "+keyName(key)+"\r\n", "HD NF"
		}
	}
	for cache, c := range clients {
		responses, repeated := c.do(command)
		for _, each := range responses {
			c.expect(command, each.line, want)
		}
		if repeated && cache == changed {
			state |= isUncertain
		}
	}
	l.keys[key].Store(uint64(state))
}
