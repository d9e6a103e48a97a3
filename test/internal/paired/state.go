package paired

// state is the last acknowledged write of an item: a version, which each write and each deletion increments, and some flags.
type state uint64

const (
	isDeleted state = 1 << iota
	// isUncertain follows a write without a response, or with an error. A server may still execute the write later, so the value is
	// not known until the next write.
	isUncertain
	// isWritten is set while a write is under way. Meanwhile, one cache can have the item, and the other one not.
	isWritten
	oneVersion
)

func (s state) version() uint64 { return uint64(s / oneVersion) }

// next returns the state after a write.
func (s state) next() state { return state(s.version()+1) * oneVersion }

// isOld reports whether a version is older than what a client had written or deleted before the read.
func (s state) isOld(version uint64) bool { return s&isUncertain == 0 && version < s.version() }

// verbFor returns the command that writes an item instead of the wanted one, because the wanted one makes no sense in this state.
func (s state) verbFor(counter bool, verb string) string {
	switch {
	case verb == "delete":
		return verb
	case s&isUncertain != 0:
		return "set" // it does not depend on the value
	case s&isDeleted != 0:
		return "add"
	case counter && verb != "set":
		return "incr"
	case !counter && verb == "incr", verb == "append" && s.next().version()%2 == 0:
		return "replace" // at most every other write appends, so that values do not grow
	}
	return verb
}
