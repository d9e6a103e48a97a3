package server

// class is the size of a request. Once they have begun, those above small can need much memory.
type class int

const (
	small class = iota
	large       // above smallBytes
	big         // above bigBytes
	huge        // above reserveBytes, or unknown
)

func classOf(length int64) class {
	switch {
	case length < 0 || length > reserveBytes:
		return huge
	case length > bigBytes:
		return big
	case length > smallBytes:
		return large
	}
	return small
}
